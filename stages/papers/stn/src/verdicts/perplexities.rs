//! Validation perplexities by method and replicate, and how the paper's tables tell them.

use std::collections::BTreeSet;

use stats::{bootstrap::Estimate, moments::mean};

use crate::tables::{collected::Collected, text_race::Raced};

/// The validation perplexity of each training.
pub(super) struct Results<'a>(Vec<(&'a str, u32, f64)>);

impl<'a> From<&'a [Collected]> for Results<'a> {
    fn from(rows: &'a [Collected]) -> Self {
        let perplexity = |row: &Collected| row.outcome.perplexity.unwrap_or(f64::NAN);
        let row =
            |row: &'a Collected| (row.which.method.as_str(), row.which.replicate, perplexity(row));
        Self(rows.iter().map(row).collect())
    }
}

impl<'a> From<&'a [Raced]> for Results<'a> {
    fn from(rows: &'a [Raced]) -> Self {
        let row = |row: &'a Raced| {
            (row.run.method.as_str(), row.run.replicate, row.perplexity.unwrap_or(f64::NAN))
        };
        Self(rows.iter().map(row).collect())
    }
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

    /// Two methods as the paper's tables have them, with the difference that is judged.
    pub(super) fn beside(&self, a: &str, b: &str, difference: &Estimate) -> String {
        let own = |method: &str| mean(&self.each(|r| self.least(method, r)));
        let (first, second, n) = (own(a), own(b), difference.n);
        let replicates = if n == 1 { "replicate" } else { "replicates" };
        format!(
            "validation perplexity {first:.2} ({}) and {second:.2} ({}), difference {} over {n} {replicates}",
            told(a),
            told(b),
            difference.told(2),
        )
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
