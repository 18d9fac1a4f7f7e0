//! The config, typed and checked.

use std::collections::BTreeMap;

use kit::paper::{self, Values};
use kit::{claims::again::Again, ranges::Ranges};
use pipeline::{config::Config, error::Result};
use tuners::method::Method;

use super::objective;

/// `configs/paper_id.toml`.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PaperIdConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// How often each search is repeated.
    #[range(at_least = 1)]
    pub repeats: u32,
    /// Evaluations of a search.
    #[range(at_least = 1)]
    pub evaluations: usize,
    /// The methods that are compared, by name.
    pub methods: BTreeMap<String, Method>,
}

impl Values for PaperIdConfig {
    fn agree(&self, config: &Config) -> Result<()> {
        let tuner = |method: &Method| method.tuner(objective::space()).map(drop);
        paper::each(config, "methods", &self.methods, tuner)
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}
