//! Checks the format of tree-structured Parzen estimators: rules, splits, estimators, acquisitions and
//! hyperopt's estimator. Spaces, settings and points come from the file, and so do its tolerances.

mod estimators;
mod hyperopt;
mod inputs;
mod splits;

use models::density::mixture::recency_weights;
use serde_json::{Map, Value};
use tuners::bayesian::tpe_split::{default_gamma, hyperopt_gamma};

use super::{
    Error,
    case::{Case, Node},
};

/// Keys that are only for readers.
const WORDS: [&str; 4] = ["name", "description", "note", "max_abs_difference"];

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    ["parzen_estimators", "hyperopt_adaptive_parzen_normal", "acquisitions"]
        .iter()
        .any(|key| top.contains_key(*key))
}

/// Checks every section.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut file = Comparison { tolerances: Tolerances::default(), cases: Vec::new() };
    if let Some(value) = top.get("tolerances") {
        file.tolerances(&Node { at: "tolerances".to_owned(), value })?;
    }
    for (key, value) in top {
        let section = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" | "tolerances" => {}
            "default_gamma" => gammas(&section, &mut file)?,
            "default_weights" => {
                for item in section.items()? {
                    weights(&item, &mut file)?;
                }
            }
            "parzen_estimators" => each(&section, &mut file, estimators::estimator)?,
            "splits" => each(&section, &mut file, splits::check)?,
            "acquisitions" => each(&section, &mut file, estimators::acquisition)?,
            "hyperopt_adaptive_parzen_normal" => each(&section, &mut file, hyperopt::check)?,
            _ => file.not_understood(&section),
        }
    }
    Ok(file.cases)
}

/// Checks the items of a list, each under its `name`. An item that its check does not understand is a case
/// that is not understood.
fn each(
    list: &Node<'_>,
    file: &mut Comparison,
    check: fn(&Node<'_>, &mut Comparison) -> Result<Understood, Error>,
) -> Result<(), Error> {
    for item in list.items()? {
        let at = match item.get("name") {
            Some(name) => format!("{}/{}", list.at, name.text()?),
            None => item.at.clone(),
        };
        let item = Node { at, ..item };
        if let Understood::Not(node) = check(&item, file)? {
            file.cases.push(Case::not_understood(node));
        }
    }
    Ok(())
}

/// Whether an item could be computed.
enum Understood {
    Yes,
    /// The place of something that was not understood.
    Not(String),
}

/// The largest errors that are accepted.
#[derive(Clone, Copy)]
struct Tolerances {
    /// Relative errors of weights, means and standard deviations.
    kernels: f64,
    /// Absolute errors of logarithms of densities.
    ln_density: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { kernels: 1e-13, ln_density: 1e-11 }
    }
}

/// The cases so far, and their tolerances.
struct Comparison {
    tolerances: Tolerances,
    cases: Vec<Case>,
}

impl Comparison {
    fn tolerances(&mut self, node: &Node<'_>) -> Result<(), Error> {
        for (key, value) in node.members()? {
            match key {
                "weights_mus_sigmas_relative" => self.tolerances.kernels = value.number()?,
                "log_pdf_absolute" => self.tolerances.ln_density = value.number()?,
                "log_pdf_note" => {}
                "indices" if value.value.as_str() == Some("exact") => {}
                _ => self.not_understood(&value),
            }
        }
        Ok(())
    }

    fn not_understood(&mut self, node: &Node<'_>) {
        self.cases.push(Case::not_understood(&node.at));
    }

    fn length(&mut self, node: &Node<'_>, computed: usize, listed: usize) {
        let name = format!("{}/length", node.at);
        self.cases.push(Case::absolute(name, computed as f64, listed as f64, 0.0));
    }

    fn count(&mut self, node: &Node<'_>, computed: usize) -> Result<(), Error> {
        self.cases.push(Case::absolute(&node.at, computed as f64, node.number()?, 0.0));
        Ok(())
    }

    /// Compares whole numbers exactly.
    fn counts(&mut self, node: &Node<'_>, computed: &[usize]) -> Result<(), Error> {
        let expected = node.items()?;
        self.length(node, computed.len(), expected.len());
        for (item, &count) in expected.iter().zip(computed) {
            self.count(item, count)?;
        }
        Ok(())
    }

    /// Compares weights, means or standard deviations. Values below `floor` are compared as if they were that
    /// large.
    fn kernels(&mut self, node: &Node<'_>, computed: &[f64], floor: f64) -> Result<(), Error> {
        let expected = numbers(node)?;
        self.length(node, computed.len(), expected.len());
        let floor = floor.max(f64::MIN_POSITIVE);
        for (i, (&c, e)) in computed.iter().zip(expected).enumerate() {
            let name = format!("{}[{i}]", node.at);
            self.cases.push(Case::relative(name, c, e, floor, self.tolerances.kernels));
        }
        Ok(())
    }

    /// Compares logarithms of densities; `slack` is the stated error of the file's own values.
    fn ln_densities(&mut self, node: &Node<'_>, computed: &[f64], slack: f64) -> Result<(), Error> {
        let expected = numbers(node)?;
        self.length(node, computed.len(), expected.len());
        for (i, (&c, e)) in computed.iter().zip(expected).enumerate() {
            let same = c == e || (c.is_nan() && e.is_nan());
            let error = if same { 0.0 } else { (c - e).abs() };
            let tolerance = self.tolerances.ln_density + slack;
            let name = format!("{}[{i}]", node.at);
            self.cases.push(Case::with_error(name, c, e, error, tolerance));
        }
        Ok(())
    }

    /// Shows values next to ours that are known to follow another rule.
    fn beside(&mut self, node: &Node<'_>, computed: &[f64]) -> Result<(), Error> {
        for (i, (&c, e)) in computed.iter().zip(numbers(node)?).enumerate() {
            self.cases.push(Case::informative(format!("{}[{i}]", node.at), c, e));
        }
        Ok(())
    }
}

/// The error of an implementation's values against those of 60 digits, as stated in the file.
fn deviation(node: &Node<'_>) -> Result<f64, Error> {
    node.get("max_abs_difference").map_or(Ok(0.0), |value| number(&value))
}

/// A number, or the name of one that JSON cannot represent.
fn number(node: &Node<'_>) -> Result<f64, Error> {
    match node.value.as_str() {
        Some("nan") => Ok(f64::NAN),
        Some("inf") => Ok(f64::INFINITY),
        Some("-inf") => Ok(f64::NEG_INFINITY),
        _ => node.number(),
    }
}

fn numbers(node: &Node<'_>) -> Result<Vec<f64>, Error> {
    node.items()?.iter().map(number).collect()
}

/// A whole number, at least 0.
fn whole(node: &Node<'_>) -> Result<usize, Error> {
    let number = node.value.as_u64().and_then(|n| usize::try_from(n).ok());
    number.ok_or_else(|| Error::Shape { at: node.at.clone(), expected: "a whole number" })
}

/// The rules by which so many of n trials are good.
fn gammas(node: &Node<'_>, file: &mut Comparison) -> Result<(), Error> {
    let n: Vec<usize> = node.need("n")?.items()?.iter().map(whole).collect::<Result<_, _>>()?;
    for (key, value) in node.members()? {
        let rule: fn(usize) -> usize = match key {
            "n" => continue,
            "n_below" => default_gamma,
            "hyperopt_rule" => hyperopt_gamma,
            _ if WORDS.contains(&key) => continue,
            _ => {
                file.not_understood(&value);
                continue;
            }
        };
        file.counts(&value, &n.iter().map(|&n| rule(n)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The default weights of n trials.
fn weights(node: &Node<'_>, file: &mut Comparison) -> Result<(), Error> {
    let n = whole(&node.need("n")?)?;
    for (key, value) in node.members()? {
        match key {
            "n" => {}
            "weights" => file.kernels(&value, &recency_weights(n, FLAT), 0.0)?,
            _ if WORDS.contains(&key) => {}
            _ => file.not_understood(&value),
        }
    }
    Ok(())
}

/// The number of trials that count fully under the default weights.
const FLAT: usize = 25;

#[cfg(test)]
mod tests;
