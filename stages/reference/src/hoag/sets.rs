//! The data sets of a file of bilevel reference values, and how its numbers are compared.

use std::{collections::BTreeMap, rc::Rc};

use models::bilevel::labelled::{Labelled, Thirds};

use crate::{
    DataSource, Error,
    case::Case,
    node::Node,
    prepare::{Preparation, RawSets, RefData, thirds},
};

/// Relative tolerance of values, gradients and inner solutions.
pub const VALUE: f64 = 1e-9;
/// Tolerance of optima.
pub const OPTIMUM: f64 = 1e-8;
/// Tolerance of traces, a step.
pub const TRACE: f64 = 1e-6;

/// The file's data sets, fetched once each.
pub struct Sets<'a> {
    protocol: BTreeMap<String, String>,
    raw: RawSets<'a>,
}

impl<'a> Sets<'a> {
    /// The data sets that `source` gives, and what the file's protocol says of them.
    pub fn new(source: &'a DataSource<'a>, protocol: BTreeMap<String, String>) -> Self {
        Self { protocol, raw: RawSets::new(source) }
    }

    /// The raw rows of a data set.
    ///
    /// # Errors
    /// If the source does not have it.
    pub fn raw(&self, name: &str) -> Result<Rc<RefData>, Error> {
        self.raw.get(name)
    }

    /// The preparation that the protocol describes.
    pub fn preparation(&self, name: &str) -> Preparation {
        Preparation::from_sentence(self.protocol.get(name).map_or("", String::as_str))
    }

    /// The prepared rows of a data set.
    ///
    /// # Errors
    /// If they are not available or cannot be prepared.
    pub fn prepared(&self, name: &str) -> Result<Labelled, Error> {
        self.preparation(name)
            .apply(self.raw(name)?.as_ref())
            .map_err(|reason| Error::Data { name: name.to_owned(), reason })
    }

    /// The prepared thirds of a data set.
    ///
    /// # Errors
    /// As [`Sets::prepared`].
    pub fn thirds(&self, name: &str) -> Result<Thirds, Error> {
        Ok(thirds(&self.prepared(name)?))
    }

    /// Names of the protocol's sentences, some of which are data sets.
    pub fn described(&self) -> impl Iterator<Item = &str> {
        self.protocol.keys().map(String::as_str)
    }

    /// Names of the protocol's sentences that describe features or columns.
    pub fn candidates(&self) -> impl Iterator<Item = &str> {
        let described = |text: &str| text.contains("features") || text.contains("columns");
        let found = self.protocol.iter().filter(move |(_, text)| described(text));
        found.map(|(name, _)| name.as_str())
    }
}

/// Compares the leading entries of a vector, or a single number, with the file's.
pub fn compare_all(node: &Node<'_>, computed: &[f64], tolerance: f64, cases: &mut Vec<Case>) {
    let expected = if node.value.is_array() { node.listed(cases) } else { vec![node.clone()] };
    let finite = expected.iter().filter_map(|v| v.extended().ok()).filter(|v| v.is_finite());
    let scale = finite.fold(0.0_f64, |m, v| m.max(v.abs()));
    for (i, e) in expected.iter().enumerate() {
        let c = computed.get(i).copied().unwrap_or(f64::NAN);
        // Entries far below the largest carry its rounding.
        cases.push(e.relative(c, (1e-3 * scale).max(1e-12), tolerance));
    }
}
