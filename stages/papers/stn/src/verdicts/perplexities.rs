//! Validation losses by method and replicate, and how the paper's tables tell them. The loss is the logarithm
//! of the perplexity, in nats per word: its differences are shares of the perplexity, and so comparable between
//! a text with a perplexity of 85 and one with 15.

use std::collections::BTreeSet;

use stats::{bootstrap::Estimate, moments::mean};

use crate::tables::{collected::Collected, text_race::Raced};

/// The digits of a difference of losses.
const DIGITS: usize = 4;

/// The validation loss of each training.
pub(super) struct Results<'a>(Vec<(&'a str, u32, f64)>);

impl<'a> From<&'a [Collected]> for Results<'a> {
    fn from(rows: &'a [Collected]) -> Self {
        let row = |row: &'a Collected| {
            (row.which.method.as_str(), row.which.replicate, loss(row.outcome.perplexity))
        };
        Self(rows.iter().map(row).collect())
    }
}

impl<'a> From<&'a [Raced]> for Results<'a> {
    fn from(rows: &'a [Raced]) -> Self {
        let row =
            |row: &'a Raced| (row.run.method.as_str(), row.run.replicate, loss(row.perplexity));
        Self(rows.iter().map(row).collect())
    }
}

/// The loss of a perplexity, NaN without one.
pub(super) fn loss(perplexity: Option<f64>) -> f64 {
    perplexity.map_or(f64::NAN, f64::ln)
}

/// A difference of losses.
pub(super) fn difference(estimate: &Estimate) -> String {
    let n = estimate.n;
    let replicates = if n == 1 { "replicate" } else { "replicates" };
    format!("{} nats per word over {n} {replicates}", estimate.told(DIGITS))
}

impl Results<'_> {
    /// The lowest of a method in a replicate, NaN without one.
    pub(super) fn least(&self, method: &str, replicate: u32) -> f64 {
        let own = self.0.iter().filter(|(m, r, _)| *m == method && *r == replicate);
        own.map(|row| row.2).fold(f64::NAN, f64::min)
    }

    /// A statistic of each replicate that has an STN.
    pub(super) fn each(&self, of: impl Fn(u32) -> f64) -> Vec<f64> {
        let own = self.0.iter().filter(|(method, ..)| *method == "stn");
        let replicates: BTreeSet<u32> = own.map(|row| row.1).collect();
        replicates.into_iter().map(of).collect()
    }

    pub(super) fn less(&self, a: &str, b: &str) -> Vec<f64> {
        self.each(|r| self.least(a, r) - self.least(b, r))
    }

    /// The mean perplexity of a method, as the paper's tables have it.
    pub(super) fn perplexity(&self, method: &str) -> f64 {
        mean(&self.each(|r| self.least(method, r).exp()))
    }

    /// Two methods as the paper's tables have them.
    pub(super) fn both(&self, a: &str, b: &str) -> String {
        let [first, second] = [a, b].map(|method| self.perplexity(method));
        format!("validation perplexity {first:.2} ({}) and {second:.2} ({})", told(a), told(b))
    }

    /// The same with the difference that is judged.
    pub(super) fn beside(&self, a: &str, b: &str, less: &Estimate) -> String {
        format!("{}, difference of the losses {}", self.both(a, b), difference(less))
    }
}

/// What the paper calls a method.
fn told(method: &str) -> &str {
    match method {
        "stn" => "STN",
        "fixed" => "best fixed value",
        "final-value" => "final value of the STN, fixed",
        "schedule" => "schedule of the STN",
        "greedy" => "greedy schedule",
        "gaussian" => "Gaussian perturbation",
        "sinusoid" => "sinusoid perturbation",
        "gp-ei" => "Bayesian optimisation",
        "random" => "random search",
        "grid" => "grid search",
        "hyperband" => "Hyperband",
        "pbt" => "population-based training",
        other => other,
    }
}
