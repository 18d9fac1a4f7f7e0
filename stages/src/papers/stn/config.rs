//! The config of self-tuning networks, typed and checked.

use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{exact::config::Exact, images::config::ImagesPart, text::config::Text};

/// `configs/stn.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StnConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Checks of the theory.
    pub exact: Exact,
    /// Experiments on images.
    pub images: ImagesPart,
    /// Texts.
    pub text: Text,
}

impl StnConfig {
    /// Reads and checks the config.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        values.exact.check(config)?;
        values.images.check(config)?;
        values.text.check(config)?;
        Ok(values)
    }
}
