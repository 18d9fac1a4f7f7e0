//! The config of HyperTune, typed and checked.

use std::collections::BTreeMap;

use data::Loader;
use kit::{claims::again::Again, paper::Values, ranges::Ranges};
use models::gp::{kernel::Kernel, monotone::fit::MonotoneSettings};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::{
    bayesian::{directed::DirectedSettings, fabolas::FabolasSettings},
    multi_fidelity::{brackets::Budgets, hyperband::HyperbandSettings},
};

use super::learn::{InputKind, Learner};
use crate::{
    dataset::{Scaling, View},
    method::Method,
};

/// `configs/hypertune.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HyperTuneConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// How often everything is repeated.
    #[range(at_least = 1)]
    pub repeats: u32,
    /// Sizes of the parts.
    #[range(inside)]
    pub split: SplitValues,
    /// HyperTune.
    #[range(inside)]
    pub hypertune: HyperTuneValues,
    /// The searches, with signs and without.
    ///
    /// DIFFERS: the paper prints one length scale; the config's default is one for each, since its
    /// hyper-parameters matter unequally.
    pub search: DirectedSettings,
    /// Fabolas.
    pub fabolas: FabolasSettings,
    /// Hyperband.
    pub hyperband: Budgets,
    /// Most evaluations of a method, however little work they are.
    pub most_evaluations: usize,
    /// The same for Fabolas, whose own time grows with the cube of their number.
    ///
    /// DIFFERS: the paper gives every method the time that HyperTune takes, Fabolas' own included. Work does
    /// not count that, so the number of evaluations is capped instead; where a run ends below half of its
    /// budget for that, and in less time than HyperTune takes, the comparison decides nothing.
    pub fabolas_evaluations: usize,
    /// Learners by name.
    pub learners: BTreeMap<String, Learner>,
    /// Data sets by name.
    #[range(inside)]
    pub data: BTreeMap<String, Data>,
    /// Tasks by name.
    pub tasks: BTreeMap<String, Task>,
    /// Figure 1.
    #[range(inside)]
    pub complexity: ComplexityValues,
    /// Other settings of HyperTune by name.
    pub variants: BTreeMap<String, Variant>,
    /// Repeats on which these run.
    pub variant_repeats: u32,
    /// Points of the curves of convergence.
    #[range(at_least = 2)]
    pub curve_points: usize,
}

/// Shares of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplitValues {
    /// To compare configurations on.
    #[range(above = 0, below = 1)]
    pub validation: f64,
    /// To report on.
    #[range(above = 0, below = 1)]
    pub held_out: f64,
}

/// Algorithms 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HyperTuneValues {
    /// Subset searches B.
    #[range(at_least = 1)]
    pub searches: usize,
    /// Evaluations of each.
    #[range(at_least = 1)]
    pub evaluations: usize,
    /// Points N at which signs are known.
    pub points: usize,
    /// Evaluations on the whole training part T.
    #[range(at_least = 1)]
    pub iterations: usize,
    /// An improvement counts above this many standard deviations of the noise.
    #[range(at_least = 0)]
    pub settled: f64,
}

/// One data set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// Id in the data registry; none where the data cannot be had.
    #[serde(default)]
    pub data_set: Option<String>,
    /// How to get data that are not in the registry.
    #[serde(default)]
    pub absent: String,
    /// Rows used, drawn at random for each repeat; 0 for all.
    pub rows: usize,
    /// How features are scaled.
    pub scaling: Scaling,
    /// Pixels along a side that images are shrunk to; none for their own.
    #[serde(default)]
    pub side: Option<usize>,
    /// A subset is 1/divisor of the training rows.
    #[range(at_least = 2)]
    pub subset_divisor: u64,
    /// Memory of one stage, MiB.
    pub memory_mib: u64,
}

impl Data {
    /// The form in which stages use it.
    #[must_use]
    pub fn view(&self) -> View {
        View { scaling: self.scaling, side: self.side }
    }

    /// Whether it is a set of images.
    #[must_use]
    pub fn images(&self) -> bool {
        let entry = self.data_set.as_deref().and_then(data::find);
        entry.is_some_and(|entry| matches!(entry.loader, Loader::Images(_)))
    }
}

/// A learner on a data set.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Task {
    /// The learner.
    pub learner: String,
    /// The data set.
    pub data: String,
    /// The claim about it; none if the paper does not have it.
    #[serde(default)]
    pub claim: Option<String>,
    /// The paper's held-out errors, by method.
    #[serde(default)]
    pub published: BTreeMap<String, f64>,
    /// The paper's figure of its convergence; none if there is none.
    #[serde(default)]
    pub figure: Option<u32>,
    /// Whether it runs in this profile.
    pub runs: bool,
    /// Rivals.
    pub rivals: Vec<Method>,
    /// Whether Figure 1 is measured on it.
    pub complexity: bool,
    /// Whether the other settings of HyperTune run on it.
    pub variants: bool,
    /// Fabolas on it, where it is not as on the other tasks of the profile.
    #[serde(default)]
    pub fabolas: Option<FabolasOnTask>,
}

/// Fabolas on one task.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FabolasOnTask {
    /// Most evaluations.
    pub evaluations: usize,
    /// Its settings.
    pub settings: FabolasSettings,
}

/// Figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComplexityValues {
    /// Points of the axis.
    #[range(at_least = 3)]
    pub points: usize,
    /// Subsets averaged.
    #[range(at_least = 1)]
    pub subsets: usize,
    /// Where parameters that are no matter of complexity stand, in \[0, 1\].
    #[range(at_least = 0, at_most = 1)]
    pub neutral: f64,
    /// Repeats.
    pub repeats: u32,
}

/// What another setting of HyperTune changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Variant {
    /// N.
    pub points: Option<usize>,
    /// Covariance function.
    pub kernel: Option<Kernel>,
    /// Noise variance.
    pub noise: Option<f64>,
    /// Whether it is fitted.
    pub fit_noise: Option<bool>,
    /// Whether the variance of the function is fitted.
    pub fit_amplitude: Option<bool>,
    /// One length scale per hyper-parameter.
    pub ard: Option<bool>,
}

impl Variant {
    /// The settings with its changes.
    #[must_use]
    pub fn of(
        &self,
        own: &HyperTuneValues,
        search: &DirectedSettings,
    ) -> (usize, DirectedSettings) {
        let gp = MonotoneSettings {
            kernel: self.kernel.unwrap_or(search.gp.kernel),
            noise: self.noise.unwrap_or(search.gp.noise),
            fit_noise: self.fit_noise.unwrap_or(search.gp.fit_noise),
            fit_amplitude: self.fit_amplitude.unwrap_or(search.gp.fit_amplitude),
            ard: self.ard.unwrap_or(search.gp.ard),
            ..search.gp
        };
        (self.points.unwrap_or(own.points), DirectedSettings { gp, ..*search })
    }
}

impl HyperTuneConfig {
    /// Checks settings by the tuners that use them.
    fn check_tuners(&self, config: &Config) -> Result<()> {
        use tuners::{
            bayesian::{directed::Directed, fabolas::Fabolas},
            multi_fidelity::hyperband::Hyperband,
        };
        for (name, learner) in &self.learners {
            let space = learner
                .space()
                .map_err(|e| config.invalid(&format!("learners.{name}"), &e.to_string()))?;
            let mut searches = vec![("search".to_owned(), self.search)];
            for (name, variant) in &self.variants {
                let (_, search) = variant.of(&self.hypertune, &self.search);
                searches.push((format!("variants.{name}"), search));
            }
            for (key, search) in searches {
                Directed::new(space.clone(), search)
                    .map_err(|e| config.invalid(&key, &e.to_string()))?;
            }
            Fabolas::new(space.clone(), self.fabolas)
                .map_err(|e| config.invalid("fabolas", &e.to_string()))?;
            for (task, own) in self.tasks.iter().filter(|(_, task)| task.learner == *name) {
                Fabolas::new(space.clone(), self.fabolas_on(own).settings).map_err(|e| {
                    config.invalid(&format!("tasks.{task}.fabolas.settings"), &e.to_string())
                })?;
            }
            Hyperband::new(space, self.hyperband())
                .map_err(|e| config.invalid("hyperband", &e.to_string()))?;
        }
        Ok(())
    }

    /// Fabolas on a task.
    #[must_use]
    pub fn fabolas_on(&self, task: &Task) -> FabolasOnTask {
        let usual = FabolasOnTask { evaluations: self.fabolas_evaluations, settings: self.fabolas };
        task.fabolas.unwrap_or(usual)
    }

    /// Hyperband without its own limit.
    #[must_use]
    pub fn hyperband(&self) -> HyperbandSettings {
        HyperbandSettings { budgets: self.hyperband, brackets: None }
    }
}

impl Values for HyperTuneConfig {
    const RENAMED: &'static [(&'static str, &'static str)] = &[
        ("search.ard", "search.gp.ard"),
        ("search.fit-amplitude", "search.gp.fit-amplitude"),
        ("search.fit-noise", "search.gp.fit-noise"),
        ("search.kernel", "search.gp.kernel"),
        ("search.length-scales", "search.gp.length-scales"),
        ("search.noise", "search.gp.noise"),
        ("search.restarts", "search.gp.restarts"),
        ("search.step", "search.gp.step"),
    ];

    fn agree(&self, config: &Config) -> Result<()> {
        let refuse =
            |key: &str, expected: &str| Err(config.invalid(key, &format!("expected {expected}")));
        if self.split.validation + self.split.held_out >= 1.0 {
            return refuse("split", "two shares with a sum below 1");
        }
        for (key, some) in [
            ("variant-repeats", self.variant_repeats),
            ("complexity.repeats", self.complexity.repeats),
        ] {
            if some > self.repeats {
                return refuse(key, "at most as many as all repeats");
            }
        }
        for (name, data) in &self.data {
            let key = |field: &str| format!("data.{name}.{field}");
            let Some(id) = &data.data_set else { continue };
            let Some(entry) = data::find(id) else {
                return refuse(&key("data-set"), "an id that `retune data list` shows");
            };
            if data.rows != 0 && !(60..=entry.shape.rows).contains(&data.rows) {
                let rows = entry.shape.rows;
                return refuse(&key("rows"), &format!("0 for all, or 60 to {rows}"));
            }
            if let Some(side) = data.side {
                // Data that are not images have no side.
                let own = |side: usize| entry.shape.features.is_multiple_of(side * side);
                if !data.images() || side == 0 || !own(side) {
                    return refuse(&key("side"), "a divisor of the side of images");
                }
            }
        }
        for (name, task) in &self.tasks {
            let key = |field: &str| format!("tasks.{name}.{field}");
            if !self.learners.contains_key(&task.learner) {
                let names: Vec<_> = self.learners.keys().map(String::as_str).collect();
                return refuse(&key("learner"), &format!("one of {}", names.join(", ")));
            }
            if !self.data.contains_key(&task.data) {
                let names: Vec<_> = self.data.keys().map(String::as_str).collect();
                return refuse(&key("data"), &format!("one of {}", names.join(", ")));
            }
            let eats = self.learners[&task.learner].input_kind();
            if eats == InputKind::Images && !self.data[&task.data].images() {
                return refuse(&key("data"), "a set of images, which is what its learner takes");
            }
        }
        self.check_tuners(config)?;
        Ok(())
    }

    fn roots(&mut self) -> (&mut u64, &mut Again) {
        (&mut self.root_seed, &mut self.again)
    }
}
