//! Typed access to the values of a file.

use serde_json::{Map, Value};

use super::{Error, case::Case};

/// 2⁵³: up to here, doubles are exact whole numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value of the file with the keys that lead to it.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// Keys down to here, joined by `/`.
    pub at: String,
    /// The value.
    pub value: &'a Value,
}

impl<'a> Node<'a> {
    /// The error of a value that is not as expected.
    pub fn shape(&self, expected: &'static str) -> Error {
        Error::Shape { at: self.at.clone(), expected }
    }

    /// The members of an object that have a value, in the alphabetical order of their keys: `null` says that
    /// there is none.
    ///
    /// # Errors
    /// If the value is not an object.
    pub fn given(&self) -> Result<Vec<(&'a str, Node<'a>)>, Error> {
        let mut members = self.members()?;
        members.retain(|(_, node)| !node.value.is_null());
        Ok(members)
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

    /// The elements of an array of the file's values. Anything else is a case of its own, and has none.
    pub fn listed(&self, cases: &mut Vec<Case>) -> Vec<Node<'a>> {
        self.items().unwrap_or_else(|error| {
            cases.push(Case::not_understood(error.to_string()));
            Vec::new()
        })
    }

    /// A number.
    ///
    /// # Errors
    /// If the value is not a number.
    pub fn number(&self) -> Result<f64, Error> {
        self.value.as_f64().ok_or_else(|| self.shape("a number"))
    }

    /// A number, or one of the texts `nan`, `inf` and `-inf` (or a longer spelling of them).
    ///
    /// # Errors
    /// If the value is neither.
    pub fn extended(&self) -> Result<f64, Error> {
        let Some(text) = self.value.as_str() else { return self.number() };
        match text.to_ascii_lowercase().as_str() {
            "nan" => Ok(f64::NAN),
            "inf" | "+inf" | "infinity" | "+infinity" => Ok(f64::INFINITY),
            "-inf" | "-infinity" => Ok(f64::NEG_INFINITY),
            _ => Err(self.shape("a number, `nan`, `inf` or `-inf`")),
        }
    }

    /// A whole number that can count or index something.
    ///
    /// # Errors
    /// If the value is not one.
    pub fn whole(&self) -> Result<usize, Error> {
        // Other programs also write 1.0; larger doubles than this one leave some whole numbers out.
        let double = |v: &f64| v.fract() == 0.0 && (0.0..=EXACT).contains(v);
        let whole = self.value.as_u64().and_then(|n| usize::try_from(n).ok());
        whole
            .or_else(|| self.value.as_f64().filter(double).map(|v| v as usize))
            .ok_or_else(|| self.shape("a whole number"))
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

    /// The place of an item, with its `name` after a sign if it has one.
    pub fn named(&self, sign: char) -> String {
        match self.get("name").and_then(|name| name.text().ok()) {
            Some(name) => format!("{}{sign}{name}", self.at),
            None => self.at.clone(),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// If the value is not one.
    pub fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.shape("a string"))
    }

    /// Compares the file's number here with ours, by `compare` from its place and the number. `null` stands for
    /// a number that is not defined or not given: it passes if ours is not finite, and else is only shown.
    pub fn against(&self, computed: f64, compare: impl FnOnce(&str, f64) -> Case) -> Case {
        match self.value {
            Value::Null if computed.is_finite() => Case::informative(&*self.at, computed, f64::NAN),
            Value::Null => Case::absolute(&*self.at, f64::NAN, f64::NAN, 0.0),
            Value::Bool(truth) => compare(&self.at, f64::from(u8::from(*truth))),
            _ => match self.extended() {
                Ok(expected) => compare(&self.at, expected),
                Err(error) => Case::not_understood(error.to_string()),
            },
        }
    }

    /// [`Case::relative`] with the file's number here.
    pub fn relative(&self, computed: f64, floor: f64, tolerance: f64) -> Case {
        self.against(computed, |at, e| Case::relative(at, computed, e, floor, tolerance))
    }

    /// [`Case::absolute`] with the file's number here.
    pub fn absolute(&self, computed: f64, tolerance: f64) -> Case {
        self.against(computed, |at, e| Case::absolute(at, computed, e, tolerance))
    }

    /// [`Case::informative`] with the file's number here.
    pub fn informative(&self, computed: f64) -> Case {
        self.against(computed, |at, e| Case::informative(at, computed, e))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::case::Outcome, *};

    fn at(value: &Value) -> Node<'_> {
        Node { at: "x".to_owned(), value }
    }

    #[test]
    fn whole_numbers_can_be_written_as_doubles() {
        assert_eq!(at(&json!(3.0)).whole().unwrap(), 3);
        for other in [json!(3.5), json!(-1.0), json!(1e300), json!("3")] {
            assert!(at(&other).whole().is_err(), "{other}");
        }
    }

    #[test]
    fn a_number_that_is_not_given_fails_nothing() {
        let none = Value::Null;
        assert_eq!(at(&none).absolute(f64::NAN, 0.0).outcome, Outcome::Passed);
        assert_eq!(at(&none).relative(f64::INFINITY, 0.0, 0.0).outcome, Outcome::Passed);
        assert_eq!(at(&none).absolute(1.0, 0.0).outcome, Outcome::Informative);
        assert_eq!(at(&json!([])).absolute(1.0, 0.0).outcome, Outcome::NotUnderstood);
        let infinite = json!("inf");
        assert_eq!(at(&infinite).relative(f64::INFINITY, 0.0, 0.0).outcome, Outcome::Passed);
        assert_eq!(at(&infinite).relative(1e300, 0.0, 1e-3).outcome, Outcome::Failed);
    }
}
