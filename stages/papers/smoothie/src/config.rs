//! The config of SMOOTHIE, typed and checked.

use std::collections::BTreeMap;

use kit::{claims::again::Again, paper::Values, ranges::Ranges};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{
    cut::{Classes, TestPart},
    protocol::Protocol,
    space::Learner,
};
use crate::rules::Metric;

/// `configs/smoothie.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SmoothieConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// The protocol whose verdicts count, fixed before any result.
    pub headline: String,
    /// How often everything is repeated.
    #[range(at_least = 1)]
    pub repeats: u32,
    /// The same under the protocols that do not count.
    #[range(at_least = 1)]
    pub variant_repeats: u32,
    /// Repeats that make one stage.
    #[range(at_least = 1)]
    pub repeats_per_stage: u32,
    /// Protocols by name.
    pub protocols: BTreeMap<String, Protocol>,
    /// How classifiers are trained.
    #[range(inside)]
    pub training: Training,
    /// Families of data sets by name.
    #[range(inside)]
    pub families: BTreeMap<String, Family>,
    /// Tasks by name.
    pub tasks: BTreeMap<String, Task>,
    /// Random configurations, probed and trained.
    #[range(inside)]
    pub pool: PoolValues,
    /// Random cases of the theorems.
    #[range(inside)]
    pub bounds: BoundsValues,
    /// Loss surfaces before and after tuning.
    #[range(inside)]
    pub landscape: LandscapeValues,
}

/// SGD.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Training {
    /// Rows a step.
    #[range(at_least = 1)]
    pub batch: usize,
    /// Learning rate.
    #[range(above = 0)]
    pub learning_rate: f64,
}

/// What tunes nothing, or is the state of the art of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// Support vector machine.
    Svm,
    /// GHOST.
    Ghost,
    /// A tuner like HEBO.
    HeboLike,
    /// None that these data allow.
    None,
}

/// Data sets that are treated alike.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Family {
    /// What is maximised.
    pub metric: Metric,
    /// How the test part is chosen.
    pub test_part: TestPart,
    /// N1.
    pub probes: u32,
    /// N2.
    #[range(at_least = 1)]
    pub full: u32,
    /// Epochs of a full training.
    #[range(at_least = 1)]
    pub epochs: u32,
    /// Learners that SMOOTHIE tunes.
    pub learners: Vec<Learner>,
    /// The learner that the other optimisers tune in the authors' code, and that Figure 2 shows.
    pub base: Learner,
    /// Fewest and most hidden layers.
    pub layers: [i64; 2],
    /// Fewest and most units a layer.
    pub units: [i64; 2],
    /// What else it is compared with.
    pub baseline: Baseline,
    /// Whether the data are of software engineering.
    pub software: bool,
}

/// One data set with its classes.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Task {
    /// The family.
    pub family: String,
    /// Id in the data registry.
    pub data_set: String,
    /// How its target becomes classes.
    pub classes: Classes,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// Rows used, drawn at random for each repeat; 0 for all.
    pub rows: usize,
    /// SMOOTHIE's outcome in the paper's tables, where they name one.
    #[serde(default)]
    pub outcome: Option<String>,
    /// The paper's numbers: treatment → measure → value.
    #[serde(default)]
    pub published: BTreeMap<String, BTreeMap<String, f64>>,
}

/// The pools of random configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PoolValues {
    /// Configurations of a pool.
    #[range(at_least = 20)]
    pub configurations: u32,
    /// Pools of each task and learner.
    pub repeats: u32,
}

/// The theorems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoundsValues {
    /// Random cases a learner.
    #[range(at_least = 1)]
    pub cases: u32,
}

/// Figure 2.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LandscapeValues {
    /// Points of the surface in each direction.
    #[range(at_least = 5)]
    pub points: usize,
    /// Half the width of the surface, in lengths of the training path.
    #[range(above = 0)]
    pub radius: f64,
    /// Runs of each task.
    pub repeats: u32,
}

impl Values for SmoothieConfig {
    fn agree(&self, config: &Config) -> Result<()> {
        let refuse =
            |key: &str, expected: &str| Err(config.invalid(key, &format!("expected {expected}")));
        if !self.protocols.contains_key(&self.headline) {
            let names: Vec<_> = self.protocols.keys().map(String::as_str).collect();
            return refuse("headline", &format!("one of {}", names.join(", ")));
        }
        for (name, protocol) in &self.protocols {
            if let Some((key, expected)) = protocol.fault() {
                return refuse(&format!("protocols.{name}.{key}"), expected);
            }
        }
        for (name, family) in &self.families {
            let key = |field: &str| format!("families.{name}.{field}");
            if family.full > family.probes {
                return refuse(&key("full"), "N2 of at most N1 = probes");
            }
            for (field, [low, high]) in [("layers", family.layers), ("units", family.units)] {
                if !(1 <= low && low < high && high <= 1000) {
                    return refuse(&key(field), "[fewest, most] with 1 ≤ fewest < most ≤ 1000");
                }
            }
            if family.learners.is_empty() {
                return refuse(&key("learners"), "at least one learner");
            }
        }
        for (name, task) in &self.tasks {
            let key = |field: &str| format!("tasks.{name}.{field}");
            if !self.families.contains_key(&task.family) {
                let names: Vec<_> = self.families.keys().map(String::as_str).collect();
                return refuse(&key("family"), &format!("one of {}", names.join(", ")));
            }
            let Some(entry) = data::find(&task.data_set) else {
                return refuse(&key("data-set"), "an id that `retune data list` shows");
            };
            if task.rows > entry.shape.rows {
                let rows = entry.shape.rows;
                return refuse(&key("rows"), &format!("0 for all, or at most {rows}"));
            }
        }
        let fewest = self.repeats.min(self.variant_repeats);
        for (key, some, most) in [
            ("pool", self.pool.repeats, fewest),
            ("landscape", self.landscape.repeats, self.repeats),
        ] {
            if some > most {
                return refuse(&format!("{key}.repeats"), "at most as many as all repeats");
            }
        }
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
    fn what_is_out_of_range_is_refused_by_its_key() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs/smoothie.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let read = |text: &str| SmoothieConfig::read(&Config::parse(&file, text, "paper").unwrap());
        assert!(read(&text).is_ok());
        for (from, to, key) in [
            ("headline = \"honest\"", "headline = \"honesty\"", "headline"),
            (
                "validation-share = 0.25",
                "validation-share = 1.0",
                "protocols.honest.validation-share",
            ),
            ("repeats-per-stage = 5", "repeats-per-stage = 0", "repeats"),
            ("variant-repeats = 20", "variant-repeats = 1", "pool.repeats"),
            ("batch = 128", "batch = 0", "training"),
            ("probes = 50", "probes = 9", "families.warnings.full"),
            ("epochs = 100", "epochs = 0", "families.warnings.epochs"),
            ("units = [2, 6]", "units = [6, 2]", "families.warnings.units"),
            ("layers = [3, 20]", "layers = [0, 20]", "families.warnings.layers"),
            ("data-set = \"warnings-ant\"", "data-set = \"warnings-aunt\"", "tasks.ant.data-set"),
            ("family = \"warnings\"", "family = \"alarms\"", "tasks.ant.family"),
            ("configurations = 75", "configurations = 19", "pool"),
            ("cases = 100", "cases = 0", "bounds.cases"),
            ("points = 21", "points = 4", "landscape"),
        ] {
            assert!(text.contains(from), "{from}");
            let error = read(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(key), "{key}: {error}");
        }
    }
}
