//! One compared value, and typed access to the values of a file.

use serde_json::{Map, Value};

use super::Error;

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Within the tolerance.
    Passed,
    /// Beyond the tolerance, or NaN.
    Failed,
    /// Only shown next to each other, without a tolerance (timings, paths that depend on the machine).
    Informative,
    /// The file contains something that this project does not understand.
    NotUnderstood,
}

/// One compared value.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Keys down to the value, joined by `/`.
    pub name: String,
    /// Our value.
    pub computed: f64,
    /// The file's value.
    pub expected: f64,
    /// Their distance in the measure of the case.
    pub error: f64,
    /// The largest error that is accepted.
    pub tolerance: f64,
    /// The outcome.
    pub outcome: Outcome,
}

impl Case {
    /// Compares relative to the expected value, or absolutely below `floor`.
    pub fn relative(
        name: impl Into<String>,
        computed: f64,
        expected: f64,
        floor: f64,
        tolerance: f64,
    ) -> Self {
        let error = (computed - expected).abs() / expected.abs().max(floor);
        Self::with_error(name, computed, expected, error, tolerance)
    }

    /// Compares the absolute difference.
    pub fn absolute(name: impl Into<String>, computed: f64, expected: f64, tolerance: f64) -> Self {
        Self::with_error(name, computed, expected, (computed - expected).abs(), tolerance)
    }

    /// Compares the absolute difference; infinite values and NaN have to be the same.
    pub fn extended(name: impl Into<String>, computed: f64, expected: f64, tolerance: f64) -> Self {
        let same = computed == expected || (computed.is_nan() && expected.is_nan());
        let error = if same { 0.0 } else { (computed - expected).abs() };
        // Infinities of different signs, and an infinity with a number.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        Self::with_error(name, computed, expected, error, tolerance)
    }

    /// A case whose error was measured by the caller.
    pub fn with_error(
        name: impl Into<String>,
        computed: f64,
        expected: f64,
        error: f64,
        tolerance: f64,
    ) -> Self {
        let outcome = if error <= tolerance { Outcome::Passed } else { Outcome::Failed };
        Self { name: name.into(), computed, expected, error, tolerance, outcome }
    }

    /// Two values next to each other without a verdict.
    pub fn informative(name: impl Into<String>, computed: f64, expected: f64) -> Self {
        let error = (computed - expected).abs();
        Self {
            outcome: Outcome::Informative,
            ..Self::with_error(name, computed, expected, error, f64::INFINITY)
        }
    }

    /// A key that this project does not understand.
    pub fn not_understood(name: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::NotUnderstood,
            ..Self::with_error(name, f64::NAN, f64::NAN, f64::NAN, 0.0)
        }
    }

    /// Whether the case did not fail.
    pub fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed | Outcome::Informative)
    }
}

/// A value of the file with the keys that lead to it.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// Keys down to here, joined by `/`.
    pub at: String,
    /// The value.
    pub value: &'a Value,
}

impl<'a> Node<'a> {
    fn shape(&self, expected: &'static str) -> Error {
        Error::Shape { at: self.at.clone(), expected }
    }

    /// The members of an object, in the alphabetical order of their keys.
    ///
    /// # Errors
    /// If the value is not an object.
    pub fn members(&self) -> Result<Vec<(&'a str, Node<'a>)>, Error> {
        let map: &Map<String, Value> =
            self.value.as_object().ok_or_else(|| self.shape("an object"))?;
        Ok(map
            .iter()
            .map(|(key, value)| (key.as_str(), Node { at: format!("{}/{key}", self.at), value }))
            .collect())
    }

    /// A member, if there is one.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let value = self.value.get(key)?;
        (!value.is_null()).then(|| Node { at: format!("{}/{key}", self.at), value })
    }

    /// A member that the format requires.
    ///
    /// # Errors
    /// If there is none.
    pub fn need(&self, key: &'static str) -> Result<Node<'a>, Error> {
        self.get(key).ok_or_else(|| Error::Shape { at: self.at.clone(), expected: key })
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// If the value is not an array.
    pub fn items(&self) -> Result<Vec<Node<'a>>, Error> {
        let list = self.value.as_array().ok_or_else(|| self.shape("an array"))?;
        let node = |(i, value)| Node { at: format!("{}[{i}]", self.at), value };
        Ok(list.iter().enumerate().map(node).collect())
    }

    /// A number.
    ///
    /// # Errors
    /// If the value is not a number.
    pub fn number(&self) -> Result<f64, Error> {
        self.value.as_f64().ok_or_else(|| self.shape("a number"))
    }

    /// A number, or one of the texts `nan`, `inf` and `-inf`.
    ///
    /// # Errors
    /// If the value is neither.
    pub fn extended(&self) -> Result<f64, Error> {
        match self.value.as_str() {
            None => self.number(),
            Some("nan") => Ok(f64::NAN),
            Some("inf") => Ok(f64::INFINITY),
            Some("-inf") => Ok(f64::NEG_INFINITY),
            Some(_) => Err(self.shape("a number, `nan`, `inf` or `-inf`")),
        }
    }

    /// A whole number that can count or index something.
    ///
    /// # Errors
    /// If the value is not one.
    pub fn whole(&self) -> Result<usize, Error> {
        let whole = self.value.as_u64().and_then(|n| usize::try_from(n).ok());
        whole.ok_or_else(|| self.shape("a whole number"))
    }

    /// Reads every element of an array.
    ///
    /// # Errors
    /// If the value is no array, or an element is not as `read` expects.
    pub fn each<T>(&self, read: impl Fn(&Node<'a>) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        self.items()?.iter().map(read).collect()
    }

    /// A whole number from 0 to `most`, of which `expected` speaks: what is made of it takes time and memory.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn count(&self, most: usize, expected: &'static str) -> Result<usize, Error> {
        let value = self.number()?;
        let fits = (0.0..=most as f64).contains(&value) && value.fract() == 0.0;
        if fits { Ok(value as usize) } else { Err(self.shape(expected)) }
    }

    /// An array of numbers.
    ///
    /// # Errors
    /// If the value is not one.
    pub fn numbers(&self) -> Result<Vec<f64>, Error> {
        self.items()?.iter().map(Node::number).collect()
    }

    /// A number, or an array of numbers.
    ///
    /// # Errors
    /// If the value is neither.
    pub fn number_or_numbers(&self) -> Result<Vec<f64>, Error> {
        if self.value.is_array() { self.numbers() } else { Ok(vec![self.number()?]) }
    }

    /// A string.
    ///
    /// # Errors
    /// If the value is not one.
    pub fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.shape("a string"))
    }
}
