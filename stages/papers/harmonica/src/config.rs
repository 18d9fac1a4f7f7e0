//! The config of Harmonica, typed and checked.

use kit::{claims::again::Again, paper::Values, ranges::Ranges};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{network::config::Network, synthetic::config::Synthetic};

/// `configs/harmonica.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
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
    #[range(inside)]
    pub network: Network,
    /// Experiments on synthetic functions.
    pub synthetic: Synthetic,
}

impl Values for HarmonicaConfig {
    fn agree(&self, config: &Config) -> Result<()> {
        if !self.synthetic.rules.contains_key(&self.headline) {
            let names: Vec<_> = self.synthetic.rules.keys().map(String::as_str).collect();
            return Err(
                config.invalid("headline", &format!("expected one of {}", names.join(", ")))
            );
        }
        if let Some((key, expected)) = self.synthetic.fault() {
            return Err(
                config.invalid(&format!("synthetic.{key}"), &format!("expected {expected}"))
            );
        }
        self.network.check(config)?;
        Ok(())
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}
