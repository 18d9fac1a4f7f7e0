//! The data sets of a file of reference values for learners, and how its numbers are read and compared.

use models::samples::Samples;

use crate::{DataSource, Error, case::Case, node::Node, prepare::RawSets};

/// Relative tolerance unless the file asks for another.
pub const VALUE: f64 = 1e-9;

/// The file's data sets, fetched once each, and how it divides them.
pub struct Sets<'a> {
    names: Vec<String>,
    words: Vec<String>,
    every: usize,
    raw: RawSets<'a>,
}

impl<'a> Sets<'a> {
    /// The data sets `names`, which `source` gives; of so many rows one is a test row. A part of a file may have
    /// none of its data sets: then a name can be a word of the text that says how they are divided.
    pub fn new(source: &'a DataSource<'a>, names: Vec<String>, division: &str) -> Self {
        let every = number_after(division, "mod ").filter(|&n| n > 0).unwrap_or(5);
        Self { names, words: words(division), every, raw: RawSets::new(source) }
    }

    /// All rows of a data set.
    ///
    /// # Errors
    /// If it is not available or its targets are not classes.
    pub fn all(&self, name: &str) -> Result<Samples, Error> {
        let raw = self.raw.get(name)?;
        let bad = |reason: String| Error::Data { name: name.to_owned(), reason };
        let whole = |t: &&f64| t.fract() == 0.0 && (0.0..1e6).contains(*t);
        if raw.targets.iter().filter(whole).count() != raw.targets.len() {
            return Err(bad("expected classes as targets".to_owned()));
        }
        let y: Vec<u32> = raw.targets.iter().map(|&t| t as u32).collect();
        let classes = y.iter().copied().max().map_or(0, |c| c as usize + 1);
        Samples::new(raw.features.clone(), y, classes).map_err(|e| bad(e.to_string()))
    }

    /// Training and test rows of a data set: every fifth row from the first on is a test row, or as
    /// the protocol's `i mod N` says.
    ///
    /// # Errors
    /// As [`Sets::all`].
    pub fn split(&self, name: &str) -> Result<(Samples, Samples), Error> {
        let all = self.all(name)?;
        let rows = |test: bool| -> Vec<usize> {
            (0..all.n_rows()).filter(|i| (i % self.every == 0) == test).collect()
        };
        Ok((all.select(&rows(false)), all.select(&rows(true))))
    }

    /// The file's first data set with this many rows.
    ///
    /// # Errors
    /// If there is none.
    pub fn with_rows(&self, count: usize, section: &Node<'_>) -> Result<Samples, Error> {
        for name in &self.names {
            let all = self.all(name)?;
            if all.n_rows() == count {
                return Ok(all);
            }
        }
        let mut guessed = self.words.iter().filter_map(|name| self.all(name).ok());
        if let Some(all) = guessed.find(|all| all.n_rows() == count) {
            return Ok(all);
        }
        Err(Error::Shape { at: section.at.clone(), expected: "the rows of one of its data sets" })
    }

    /// The data set that a section's `description` names.
    ///
    /// # Errors
    /// If it names none of the file's data sets, and no other that is available.
    pub fn described(&self, section: &Node<'_>) -> Result<String, Error> {
        let text = section.need("description")?.text()?;
        let named = self.names.iter().find(|name| text.contains(name.as_str())).cloned();
        let guessed = || words(text).into_iter().find(|word| self.raw.get(word).is_ok());
        named.or_else(guessed).ok_or_else(|| Error::Shape {
            at: format!("{}/description", section.at),
            expected: "the name of one of the file's data sets",
        })
    }
}

/// The words of a text, once each, that can be a name.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
        if word.len() > 2 && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// The number after `mark` in a text.
pub fn number_after(text: &str, mark: &str) -> Option<usize> {
    let rest = text.split_once(mark)?.1.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Compares a number, relative to the file's. Where any error is accepted (a matrix that is singular), it is only
/// shown, unless it is the same.
pub fn number(node: &Node<'_>, computed: f64, tolerance: f64, cases: &mut Vec<Case>) {
    let exact = node.relative(computed, 1e-300, tolerance.min(f64::MAX));
    let any = tolerance.is_infinite() && exact.error > 0.0;
    cases.push(if any { node.informative(computed) } else { exact });
}

/// Compares numbers one by one; a different number of entries is a failed case. Entries are compared relative
/// to 1, or to themselves if larger.
pub fn numbers(node: &Node<'_>, computed: &[f64], cases: &mut Vec<Case>) {
    let expected = node.listed(cases);
    if expected.len() != computed.len() {
        let at = format!("{} (length)", node.at);
        cases.push(Case::absolute(at, computed.len() as f64, expected.len() as f64, 0.0));
    }
    cases.extend(computed.iter().zip(expected).map(|(&c, e)| e.relative(c, 1.0, VALUE)));
}

/// Reads class numbers from the file.
///
/// # Errors
/// If they are not class numbers.
pub fn classes(node: &Node<'_>) -> Result<Vec<u32>, Error> {
    let class = |v: f64| ((0.0..1e6).contains(&v) && v.fract() == 0.0).then_some(v as u32);
    node.numbers()?
        .into_iter()
        .map(class)
        .collect::<Option<_>>()
        .ok_or_else(|| Error::Shape { at: node.at.clone(), expected: "class numbers from 0" })
}
