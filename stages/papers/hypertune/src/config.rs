//! The config of HyperTune, typed and checked.

use std::collections::BTreeMap;

use data::Loader;
use kit::claims::again::Again;
use models::gp::{kernel::Kernel, monotone::fit::MonotoneSettings};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::{
    bayesian::{directed::DirectedSettings, fabolas::FabolasSettings},
    multi_fidelity::{brackets::Budgets, hyperband::HyperbandSettings},
};

use super::learn::{InputKind, Learner};
use crate::dataset::{Scaling, View};

/// `configs/hypertune.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HyperTuneConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Verdicts that are reached again under other root seeds.
    #[serde(default)]
    pub again: Again,
    /// How often everything is repeated.
    pub repeats: u32,
    /// Sizes of the parts.
    pub split: SplitValues,
    /// HyperTune.
    pub hypertune: HyperTuneValues,
    /// The searches, with signs and without.
    pub search: SearchValues,
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
    /// budget for that, the comparison decides nothing.
    pub fabolas_evaluations: usize,
    /// Learners by name.
    pub learners: BTreeMap<String, Learner>,
    /// Data sets by name.
    pub data: BTreeMap<String, Data>,
    /// Tasks by name.
    pub tasks: BTreeMap<String, Task>,
    /// Figure 1.
    pub complexity: ComplexityValues,
    /// Other settings of HyperTune by name.
    pub variants: BTreeMap<String, Variant>,
    /// Repeats on which these run.
    pub variant_repeats: u32,
    /// Points of the curves of convergence.
    pub curve_points: usize,
}

/// Shares of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplitValues {
    /// To compare configurations on.
    pub validation: f64,
    /// To report on.
    pub held_out: f64,
}

/// Algorithms 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HyperTuneValues {
    /// Subset searches B.
    pub searches: usize,
    /// Evaluations of each.
    pub evaluations: usize,
    /// Points N at which signs are known.
    pub points: usize,
    /// Evaluations on the whole training part T.
    pub iterations: usize,
    /// An improvement counts above this many standard deviations of the noise.
    pub settled: f64,
}

/// A search by expected improvement, flat.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SearchValues {
    /// First points.
    pub starts: usize,
    /// Random candidates for the acquisition's maximum.
    pub candidates: usize,
    /// Local maximisations.
    pub climbs: usize,
    /// Covariance function.
    pub kernel: Kernel,
    /// One length scale per hyper-parameter.
    ///
    /// DIFFERS: the paper prints one length scale; the config's default is one for each, since its
    /// hyper-parameters matter unequally.
    pub ard: bool,
    /// Noise variance of normalised targets; the start of the search if fitted.
    pub noise: f64,
    /// Whether it is fitted.
    pub fit_noise: bool,
    /// Whether the variance of the function is fitted.
    pub fit_amplitude: bool,
    /// v.
    pub step: f64,
    /// Random starts of the fit.
    pub restarts: usize,
    /// Smallest and largest length scale on the unit cube.
    pub length_scales: [f64; 2],
}

impl SearchValues {
    /// The settings in the form of the tuner.
    #[must_use]
    pub fn settings(&self) -> DirectedSettings {
        let Self { kernel, ard, noise, fit_noise, fit_amplitude, step, restarts, .. } = *self;
        let length_scales = self.length_scales;
        let gp = MonotoneSettings {
            kernel,
            ard,
            noise,
            fit_noise,
            fit_amplitude,
            step,
            restarts,
            length_scales,
        };
        let Self { starts, candidates, climbs, .. } = *self;
        DirectedSettings { starts, candidates, climbs, gp }
    }
}

/// One data set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
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
    /// Rivals, among [`RIVALS`].
    pub rivals: Vec<String>,
    /// Whether Figure 1 is measured on it.
    pub complexity: bool,
    /// Whether the other settings of HyperTune run on it.
    pub variants: bool,
}

/// Methods that a task can name.
pub const RIVALS: [&str; 3] = ["ei", "fabolas", "hyperband"];

/// Figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComplexityValues {
    /// Points of the axis.
    pub points: usize,
    /// Subsets averaged.
    pub subsets: usize,
    /// Where parameters that are no matter of complexity stand, in \[0, 1\].
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
    pub fn of(&self, own: &HyperTuneValues, search: &SearchValues) -> (usize, SearchValues) {
        let search = SearchValues {
            kernel: self.kernel.unwrap_or(search.kernel),
            noise: self.noise.unwrap_or(search.noise),
            fit_noise: self.fit_noise.unwrap_or(search.fit_noise),
            fit_amplitude: self.fit_amplitude.unwrap_or(search.fit_amplitude),
            ard: self.ard.unwrap_or(search.ard),
            ..*search
        };
        (self.points.unwrap_or(own.points), search)
    }
}

/// A number in (0, 1).
fn share(v: f64) -> bool {
    v > 0.0 && v < 1.0
}

impl HyperTuneConfig {
    /// Reads and checks the config. Settings of tuners are checked by these.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        let refuse =
            |key: &str, expected: &str| Err(config.invalid(key, &format!("expected {expected}")));
        if values.repeats == 0 || values.variant_repeats > values.repeats {
            return refuse("repeats", "at least 1, and at most as many of variants");
        }
        let SplitValues { validation, held_out } = values.split;
        if !(share(validation) && share(held_out) && share(validation + held_out)) {
            return refuse("split", "two shares above 0 with a sum below 1");
        }
        let own = values.hypertune;
        if own.searches == 0 || own.evaluations == 0 || own.iterations == 0 {
            return refuse("hypertune", "searches, evaluations and iterations of at least 1");
        }
        if !(own.settled.is_finite() && own.settled >= 0.0) {
            return refuse("hypertune.settled", "a finite number >= 0");
        }
        let complexity = values.complexity;
        if complexity.points < 3 || complexity.subsets == 0 {
            return refuse("complexity", "at least 3 points and 1 subset");
        }
        if !(0.0..=1.0).contains(&complexity.neutral) || complexity.repeats > values.repeats {
            return refuse("complexity", "neutral from 0 to 1, repeats at most as all");
        }
        if values.curve_points < 2 {
            return refuse("curve-points", "at least 2");
        }
        for (name, data) in &values.data {
            let key = |field: &str| format!("data.{name}.{field}");
            if data.subset_divisor < 2 {
                return refuse(&key("subset-divisor"), "at least 2");
            }
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
        for (name, task) in &values.tasks {
            let key = |field: &str| format!("tasks.{name}.{field}");
            if !values.learners.contains_key(&task.learner) {
                let names: Vec<_> = values.learners.keys().map(String::as_str).collect();
                return refuse(&key("learner"), &format!("one of {}", names.join(", ")));
            }
            if !values.data.contains_key(&task.data) {
                let names: Vec<_> = values.data.keys().map(String::as_str).collect();
                return refuse(&key("data"), &format!("one of {}", names.join(", ")));
            }
            let eats = values.learners[&task.learner].input_kind();
            if eats == InputKind::Images && !values.data[&task.data].images() {
                return refuse(&key("data"), "a set of images, which is what its learner takes");
            }
            if !task.rivals.iter().all(|r| RIVALS.contains(&r.as_str())) {
                return refuse(&key("rivals"), &format!("among {}", RIVALS.join(", ")));
            }
        }
        values.check_tuners(config)?;
        Ok(values)
    }

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
                Directed::new(space.clone(), search.settings())
                    .map_err(|e| config.invalid(&key, &e.to_string()))?;
            }
            Fabolas::new(space.clone(), self.fabolas)
                .map_err(|e| config.invalid("fabolas", &e.to_string()))?;
            Hyperband::new(space, self.hyperband())
                .map_err(|e| config.invalid("hyperband", &e.to_string()))?;
        }
        Ok(())
    }

    /// Hyperband without its own limit.
    #[must_use]
    pub fn hyperband(&self) -> HyperbandSettings {
        HyperbandSettings { budgets: self.hyperband, brackets: None }
    }
}
