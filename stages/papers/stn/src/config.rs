//! The config of self-tuning networks, typed and checked.

use kit::{beside::Printed, claims::again::Again, paper::Values, ranges::Ranges};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{exact::config::Exact, images::config::ImagesPart, text::config::Text};

/// `configs/stn.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StnConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// Tables as the paper prints them.
    pub published: Published,
    /// Checks of the theory.
    #[range(inside)]
    pub exact: Exact,
    /// Experiments on images.
    pub images: ImagesPart,
    /// Texts.
    pub text: Text,
}

/// Tables as the paper prints them: method → column of ours → number.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// Table 1.
    pub table_1: Printed,
    /// Table 2, Penn Treebank.
    pub table_2_text: Printed,
    /// Table 2, CIFAR-10.
    pub table_2_images: Printed,
}

impl Values for StnConfig {
    const RENAMED: &'static [(&'static str, &'static str)] = &[
        ("extensions", "extension-replicates"),
        ("judged", "evaluation-batch"),
        ("least", "minimum-rate"),
        ("narrower", "width-divisor"),
        ("rate", "learning-rate"),
        ("stretch", "bptt"),
        ("tuning.warm-up", "warm-up-batches"),
        ("warm-up", "warm-up-epochs"),
    ];

    fn agree(&self, config: &Config) -> Result<()> {
        self.exact.agree(config)?;
        self.images.check(config)?;
        self.text.check(config)?;
        Ok(())
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}
