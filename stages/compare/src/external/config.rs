//! The part `[external]` of the config.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::adapters::{ADAPTERS, find};

/// `[external]` of `configs/compare.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExternalConfig {
    /// Ready adapters, by name.
    pub optimisers: Vec<String>,
    /// Runs of each on each task.
    pub runs: u32,
    /// Runs of those that take long, by name.
    pub runs_of: BTreeMap<String, u32>,
    /// Differences of mean ranks that do not matter.
    pub margin: f64,
    /// Optimisers of one's own.
    pub own: Vec<OwnConfig>,
}

/// An optimiser of one's own.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OwnConfig {
    /// Its name in tables.
    pub name: String,
    /// The file that speaks the protocol, below the checkout; its content is part of the key.
    pub file: String,
    /// What runs the file, such as `python3`; the file itself where it is absent.
    #[serde(default)]
    pub interpreter: Option<String>,
    /// What it is started with.
    #[serde(default)]
    pub arguments: Vec<String>,
}

impl ExternalConfig {
    /// Checks the values; `tuners` are names that are taken.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn check(&self, config: &Config, tuners: &[String]) -> Result<()> {
        let invalid = |key: &str, what: &str| Err(config.invalid(&format!("external.{key}"), what));
        if let Some(name) = self.optimisers.iter().find(|name| find(name).is_none()) {
            let known = ADAPTERS.map(|adapter| adapter.name).join(", ");
            return invalid("optimisers", &format!("no adapter `{name}`; there are {known}"));
        }
        let own = self.own.iter().map(|one| &one.name);
        let names: Vec<&String> = self.optimisers.iter().chain(own).collect();
        let distinct: BTreeSet<&String> = names.iter().copied().chain(tuners).collect();
        if distinct.len() < names.len() + tuners.len() {
            return invalid("optimisers", "expected each name once, and none of a tuner");
        }
        let plain = |name: &str| {
            let mut letters = name.chars();
            !name.is_empty() && letters.all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if let Some(one) = self.own.iter().find(|one| !plain(&one.name)) {
            return invalid("own", &format!("`{}`: expected letters, digits and -", one.name));
        }
        if let Some(name) =
            self.runs_of.keys().find(|name| !names.contains(name) && find(name).is_none())
        {
            return invalid("runs-of", &format!("`{name}` is no optimiser"));
        }
        if self.runs == 0 || self.runs_of.values().any(|runs| *runs == 0) {
            return invalid("runs", "expected at least 1");
        }
        if !(self.margin.is_finite() && self.margin > 0.0) {
            return invalid("margin", "expected a number above 0");
        }
        Ok(())
    }

    /// Runs of the optimiser of this name on each task.
    #[must_use]
    pub fn runs(&self, name: &str) -> u32 {
        self.runs_of.get(name).copied().unwrap_or(self.runs)
    }
}
