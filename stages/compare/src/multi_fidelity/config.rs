//! The part `[multi-fidelity]` of the config.

use std::collections::BTreeSet;

use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Ladder, Sizes};

use super::{list, tune::Runs};

/// `[multi-fidelity]` of `configs/compare.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MultiFidelityConfig {
    /// The tuners, by name.
    pub tuners: Vec<String>,
    /// The parts are 1, 1/η, 1/η², … of the data.
    pub eta: u64,
    /// How many parts there are, the whole included.
    pub parts: u32,
    /// Trainings on the whole whose price is spent when choices are looked at. A run ends with the last of them.
    pub spent: Vec<u32>,
    /// Runs of each tuner on each data set.
    pub runs: u32,
    /// Optimisers that are programs of their own, by name.
    pub external: Vec<String>,
    /// Runs of each of these on each data set.
    pub external_runs: u32,
}

impl MultiFidelityConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn check(&self, config: &Config) -> Result<()> {
        let invalid =
            |key: &str, what: &str| Err(config.invalid(&format!("multi-fidelity.{key}"), what));
        if let Some(name) = self.tuners.iter().find(|name| list::find(name).is_none()) {
            let known = list::TUNERS.map(|tuner| tuner.name).join(", ");
            return invalid("tuners", &format!("no tuner `{name}`; there are {known}"));
        }
        for (key, names) in [("tuners", &self.tuners), ("external", &self.external)] {
            if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
                return invalid(key, "expected each name once");
            }
        }
        if self.eta < 2 {
            return invalid("eta", "expected at least 2");
        }
        if self.parts == 0 || Ladder::new(self.budgets()).is_err() {
            return invalid("parts", "expected at least 1, and fewer than these");
        }
        if self.spent.is_empty() || self.spent[0] == 0 || !self.spent.is_sorted_by(|a, b| a < b) {
            return invalid("spent", "expected ascending whole numbers of at least 1");
        }
        if let Some(name) = self.external.iter().find(|name| list::package(name).is_none()) {
            let known = list::PACKAGES.map(|package| package.name).join(", ");
            return invalid("external", &format!("no optimiser `{name}`; there are {known}"));
        }
        for (key, runs) in [("runs", self.runs), ("external-runs", self.external_runs)] {
            if runs == 0 {
                return invalid(key, "expected at least 1");
            }
        }
        Ok(())
    }

    /// The sizes of the parts, of which the smallest is 1.
    fn budgets(&self) -> Budgets {
        // A whole that does not fit is refused as one with too many parts.
        let maximum = self.eta.checked_pow(self.parts.saturating_sub(1)).unwrap_or(u64::MAX);
        let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Paper);
        Budgets { minimum: 1, maximum, eta: self.eta, arithmetic, sizes }
    }

    /// The parts of a data set, as divisors of the whole, the largest first.
    #[must_use]
    pub fn divisors(&self) -> Vec<u64> {
        Ladder::new(self.budgets()).map_or_else(|_| Vec::new(), Ladder::divisors)
    }

    /// So many runs of a tuner.
    #[must_use]
    pub fn runs(&self, runs: u32) -> Runs {
        Runs { budgets: self.budgets(), spent: self.spent.clone(), runs }
    }
}
