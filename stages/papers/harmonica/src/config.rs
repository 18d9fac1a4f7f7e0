//! The config of Harmonica, typed and checked.

use kit::claims::again::Again;
use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{network::config::Network, synthetic::config::Synthetic};

/// `configs/harmonica.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HarmonicaConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// The rules whose verdicts count, fixed before any result.
    pub headline: String,
    /// Experiments on residual networks.
    pub network: Network,
    /// Experiments on synthetic functions.
    pub synthetic: Synthetic,
}

impl HarmonicaConfig {
    /// Reads and checks the config.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        if !values.synthetic.rules.contains_key(&values.headline) {
            let names: Vec<_> = values.synthetic.rules.keys().map(String::as_str).collect();
            return Err(
                config.invalid("headline", &format!("expected one of {}", names.join(", ")))
            );
        }
        if let Some((key, expected)) = values.synthetic.fault() {
            return Err(
                config.invalid(&format!("synthetic.{key}"), &format!("expected {expected}"))
            );
        }
        values.network.check(config)?;
        Ok(values)
    }
}
