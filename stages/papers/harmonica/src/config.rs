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
    #[range(inside)]
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
        if let Some(fault) = self.synthetic.disagreement() {
            return Err(fault.inside("synthetic").error(config));
        }
        self.network.check(config)?;
        Ok(())
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_wrong_value_of_a_synthetic_experiment_is_refused_by_its_key() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/harmonica.toml");
        for (change, expected) in [
            ("stages=4", "at least 1 and at most 3"),
            ("degree=61", "at most the number of variables"),
            ("features=9", "features times degree at most 24"),
            ("rules.code.restrictions=0", "at least 1"),
            ("recovery.share=1.5", "above 0 and at most 1"),
            ("recovery.degree=61", "at most the number of variables"),
            ("recovery.features=9", "features times degree at most 24"),
            ("noise.seeds=0", "at least 1"),
            ("noise.sweeps.section-5-4.levels=[1.0, 1.0]", "ascending values"),
            ("noise.sweeps.section-5-4.samples=1", "at least 2"),
            ("times.samples=[]", "at least 1 entries, each at least 2"),
            ("times.samples=[300, 200]", "ascending values"),
            ("times.variables=[2]", "at least the degree, and few enough for all their monomials"),
            ("dummies.active=61", "from the degree to the number of variables"),
            ("stability.stages=[]", "one entry per stage"),
            ("stability.samples=200", "at most stability.samples"),
            ("contest.noise=-1.0", "at least 0"),
            ("contest.budgets.eta=1", "1 ≤ minimum ≤ maximum, eta ≥ 2"),
        ] {
            let mut config = Config::read(&file, "paper").unwrap();
            config.set(&format!("synthetic.{change}").parse().unwrap()).unwrap();
            let error = HarmonicaConfig::read(&config).expect_err(change).to_string();
            // What is wrong between two keys is said of one of them.
            let key = match change.split('=').next().unwrap() {
                "stability.samples" => "stability.stages[0].samples",
                "contest.budgets.eta" => "contest.budgets",
                key => key,
            };
            let told = format!("synthetic.{key}");
            assert!(error.contains(&told), "{change}: {error}");
            assert!(error.contains(&format!("expected {expected}")), "{change}: {error}");
        }
    }
}
