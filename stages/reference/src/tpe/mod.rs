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
    case::{Case, keep},
    node::Node,
};

/// The sections, each of which makes a file of this format.
const SECTIONS: [&str; 6] = [
    "default_gamma",
    "default_weights",
    "parzen_estimators",
    "splits",
    "acquisitions",
    "hyperopt_adaptive_parzen_normal",
];
/// Keys that are only for readers.
const WORDS: [&str; 4] = ["name", "description", "note", "max_abs_difference"];

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    SECTIONS.iter().any(|key| top.contains_key(*key))
}

/// Checks every section.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut file = Comparison { tolerances: Tolerances::default(), cases: Vec::new() };
    if let Some(value) = top.get("tolerances") {
        let read = file.tolerances(&Node { at: "tolerances".to_owned(), value });
        file.keep(read);
    }
    for (key, value) in top.iter().filter(|(_, value)| !value.is_null()) {
        let section = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" | "tolerances" | "description" | "note" => {}
            "default_gamma" => {
                let read = gammas(&section, &mut file);
                file.keep(read);
            }
            "default_weights" => each(&section, &mut file, weights),
            "parzen_estimators" => each(&section, &mut file, estimators::estimator),
            "splits" => each(&section, &mut file, splits::check),
            "acquisitions" => each(&section, &mut file, estimators::acquisition),
            "hyperopt_adaptive_parzen_normal" => each(&section, &mut file, hyperopt::check),
            _ => file.ignored(&section),
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
) {
    for item in list.listed(&mut file.cases) {
        let name = item.get("name").and_then(|name| name.text().ok());
        let at = name.map_or_else(|| item.at.clone(), |name| format!("{}/{name}", list.at));
        let checked = check(&Node { at, ..item }, file).map(|understood| match understood {
            Understood::Yes => {}
            Understood::Not(node) => file.cases.push(Case::not_understood(node)),
        });
        file.keep(checked);
    }
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
        for (key, value) in node.given()? {
            match key {
                "weights_mus_sigmas_relative" => self.tolerances.kernels = value.number()?,
                "log_pdf_absolute" => self.tolerances.ln_density = value.number()?,
                "log_pdf_note" => {}
                "indices" if value.value.as_str() == Some("exact") => {}
                _ => self.ignored(&value),
            }
        }
        Ok(())
    }

    fn ignored(&mut self, node: &Node<'_>) {
        self.cases.push(Case::ignored(&node.at));
    }

    fn keep(&mut self, result: Result<(), Error>) {
        keep(result, &mut self.cases);
    }

    fn length(&mut self, node: &Node<'_>, computed: usize, listed: usize) {
        let name = format!("{}/length", node.at);
        self.cases.push(Case::absolute(name, computed as f64, listed as f64, 0.0));
    }

    fn count(&mut self, node: &Node<'_>, computed: usize) {
        self.cases.push(node.absolute(computed as f64, 0.0));
    }

    /// Compares whole numbers exactly.
    fn counts(&mut self, node: &Node<'_>, computed: &[usize]) {
        let expected = node.listed(&mut self.cases);
        self.length(node, computed.len(), expected.len());
        for (item, &count) in expected.iter().zip(computed) {
            self.count(item, count);
        }
    }

    /// Compares weights, means or standard deviations. Values below `floor` are compared as if they were that
    /// large.
    fn kernels(&mut self, node: &Node<'_>, computed: &[f64], floor: f64) {
        let expected = node.listed(&mut self.cases);
        self.length(node, computed.len(), expected.len());
        let (floor, tolerance) = (floor.max(f64::MIN_POSITIVE), self.tolerances.kernels);
        let pairs = computed.iter().zip(expected);
        self.cases.extend(pairs.map(|(&c, e)| e.relative(c, floor, tolerance)));
    }

    /// Compares logarithms of densities; `slack` is the stated error of the file's own values.
    fn ln_densities(&mut self, node: &Node<'_>, computed: &[f64], slack: f64) {
        let expected = node.listed(&mut self.cases);
        self.length(node, computed.len(), expected.len());
        let tolerance = self.tolerances.ln_density + slack;
        let pairs = computed.iter().zip(expected);
        self.cases.extend(pairs.map(|(&c, e)| e.absolute(c, tolerance)));
    }

    /// Shows values next to ours that are known to follow another rule.
    fn beside(&mut self, node: &Node<'_>, computed: &[f64]) {
        let expected = node.listed(&mut self.cases);
        self.cases.extend(computed.iter().zip(expected).map(|(&c, e)| e.informative(c)));
    }
}

/// The error of an implementation's values against those of 60 digits, as stated in the file.
fn deviation(node: &Node<'_>) -> Result<f64, Error> {
    node.get("max_abs_difference").map_or(Ok(0.0), |value| number(&value))
}

/// A number, or the name of one that JSON cannot represent; `null` is no number.
fn number(node: &Node<'_>) -> Result<f64, Error> {
    if node.value.is_null() { Ok(f64::NAN) } else { node.extended() }
}

fn numbers(node: &Node<'_>) -> Result<Vec<f64>, Error> {
    node.items()?.iter().map(number).collect()
}

/// The rules by which so many of n trials are good.
fn gammas(node: &Node<'_>, file: &mut Comparison) -> Result<(), Error> {
    let n: Vec<usize> = node.need("n")?.each(Node::whole)?;
    for (key, value) in node.given()? {
        let rule: fn(usize) -> usize = match key {
            "n" => continue,
            "n_below" => default_gamma,
            "hyperopt_rule" => hyperopt_gamma,
            _ if WORDS.contains(&key) => continue,
            _ => {
                file.ignored(&value);
                continue;
            }
        };
        file.counts(&value, &n.iter().map(|&n| rule(n)).collect::<Vec<_>>());
    }
    Ok(())
}

/// The default weights of n trials.
fn weights(node: &Node<'_>, file: &mut Comparison) -> Result<Understood, Error> {
    let n = node.need("n")?.count(1 << 24, "a number of trials up to 2^24")?;
    for (key, value) in node.given()? {
        match key {
            "n" => {}
            "weights" => file.kernels(&value, &recency_weights(n, FLAT), 0.0),
            _ if WORDS.contains(&key) => {}
            _ => file.ignored(&value),
        }
    }
    Ok(Understood::Yes)
}

/// The number of trials that count fully under the default weights.
const FLAT: usize = 25;

#[cfg(test)]
mod tests;
