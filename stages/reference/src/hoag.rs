//! Checks files of bilevel reference values: passes each section to the module that checks it.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use models::bilevel::labelled::{Labelled, Thirds};
use serde_json::{Map, Value};

use super::{
    DataSource, Error,
    case::{Case, Node},
    hoag_kernel, hoag_logistic, hoag_multinomial, hoag_traces,
    prepare::{Preparation, RefData, thirds},
};

/// Relative tolerance of values, gradients and inner solutions.
pub const VALUE: f64 = 1e-9;
/// Tolerance of optima.
pub const OPTIMUM: f64 = 1e-8;
/// Tolerance of traces, per step.
pub const TRACE: f64 = 1e-6;

/// The file's data sets, fetched once each.
pub struct Sets<'a> {
    source: &'a DataSource<'a>,
    protocol: BTreeMap<String, String>,
    raw: RefCell<BTreeMap<String, Rc<RefData>>>,
}

impl Sets<'_> {
    /// The raw rows of a data set.
    ///
    /// # Errors
    /// If the source does not have it.
    pub fn raw(&self, name: &str) -> Result<Rc<RefData>, Error> {
        if let Some(found) = self.raw.borrow().get(name) {
            return Ok(Rc::clone(found));
        }
        let fetched =
            (self.source)(name).map_err(|reason| Error::Data { name: name.to_owned(), reason })?;
        let fetched = Rc::new(fetched);
        self.raw.borrow_mut().insert(name.to_owned(), Rc::clone(&fetched));
        Ok(fetched)
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

/// Checks every section of a file.
///
/// # Errors
/// If a section is malformed or data are not available.
pub fn check(top: &Map<String, Value>, source: &DataSource<'_>) -> Result<Vec<Case>, Error> {
    let protocol = top.get("protocol").and_then(Value::as_object);
    let sentences = protocol
        .into_iter()
        .flatten()
        .filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())))
        .collect();
    let sets = Sets { source, protocol: sentences, raw: RefCell::default() };
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "description" | "protocol" | "note" => (),
            "input_checks" => inputs(&node, &sets, &mut cases)?,
            "kernel_ridge" => hoag_kernel::check(&node, &sets, &mut cases)?,
            "multinomial" => hoag_multinomial::check(&node, &sets, &mut cases)?,
            "logistic" => hoag_logistic::check(&node, &sets, &mut cases)?,
            "original_code_traces" => {
                hoag_traces::published(&node, "code-head", &sets, &mut cases)?;
            }
            "paper_era_code_traces" => {
                hoag_traces::published(&node.need("traces")?, "code-2016", &sets, &mut cases)?;
            }
            // CPU seconds of another machine: shown, never compared.
            "timing" => cases.push(Case::informative("timing (not compared)", f64::NAN, f64::NAN)),
            _ => cases.push(Case::not_understood(key)),
        }
    }
    Ok(cases)
}

/// Checks that the prepared data are those of the file, so that a wrong input does not look like a wrong
/// method.
fn inputs(section: &Node<'_>, sets: &Sets<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    for (name, node) in section.members()? {
        let all = sets.prepared(name)?;
        let t = thirds(&all);
        let parts = [&t.train, &t.test, &t.validation];
        let frobenius =
            |part: &Labelled| part.features.row_norms().iter().map(|v| v * v).sum::<f64>().sqrt();
        for (key, value) in node.members()? {
            let computed: Vec<f64> = match key {
                "n_rows" => parts.iter().map(|p| p.targets.len() as f64).collect(),
                "n_features" => vec![all.features.n_cols() as f64],
                "sum_b" => parts.iter().map(|p| p.targets.iter().sum()).collect(),
                "frobenius" => parts.iter().map(|p| frobenius(p)).collect(),
                "frobenius_all" => vec![frobenius(&all)],
                "train_row0_first5" | "row0" => first_row(&t.train),
                "y_first5" => all.targets.clone(),
                _ => {
                    cases.push(Case::not_understood(value.at));
                    continue;
                }
            };
            let expected =
                if value.value.is_array() { value.numbers()? } else { vec![value.number()?] };
            compare_all(&value.at, &computed, &expected, VALUE, cases);
        }
    }
    Ok(())
}

/// The first row of a part.
fn first_row(part: &Labelled) -> Vec<f64> {
    let mut unit = vec![0.0; part.targets.len()];
    unit[0] = 1.0;
    let mut row = vec![0.0; part.features.n_cols()];
    part.features.transpose_times(&unit, &mut row);
    row
}

/// Compares the leading entries of a vector with the file's.
pub fn compare_all(
    at: &str,
    computed: &[f64],
    expected: &[f64],
    tolerance: f64,
    cases: &mut Vec<Case>,
) {
    let scale = expected.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for (i, &e) in expected.iter().enumerate() {
        let name = if expected.len() == 1 { at.to_owned() } else { format!("{at}[{i}]") };
        let c = computed.get(i).copied().unwrap_or(f64::NAN);
        // Entries far below the largest have the rounding error of the largest.
        cases.push(Case::relative(name, c, e, (1e-3 * scale).max(1e-12), tolerance));
    }
}
