//! The config, typed and checked.

use std::collections::BTreeMap;

use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::method::Method;

use super::objective;

/// `configs/paper_id.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PaperIdConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// How often each search is repeated.
    pub repeats: u32,
    /// Evaluations of a search.
    pub evaluations: usize,
    /// The methods that are compared, by name.
    pub methods: BTreeMap<String, Method>,
}

impl PaperIdConfig {
    /// Reads and checks the config. Settings of tuners are checked by these.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        if values.repeats == 0 {
            return Err(config.invalid("repeats", "expected at least 1"));
        }
        if values.evaluations == 0 {
            return Err(config.invalid("evaluations", "expected at least 1"));
        }
        for (name, method) in &values.methods {
            method
                .tuner(objective::space())
                .map_err(|e| config.invalid(&format!("methods.{name}"), &e.to_string()))?;
        }
        Ok(values)
    }
}
