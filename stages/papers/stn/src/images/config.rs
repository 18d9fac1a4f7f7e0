//! The part of the config that is about images, typed and checked.

use std::collections::BTreeMap;

use kit::device;
use models::neural::{
    alexnet::AlexNet,
    residual::Device,
    self_tuning::{Control, Hyper, Response, Scale, SgdConfig, Tuning},
};
use pipeline::{config::Config, error::Result};
use serde::Deserialize;
use tuners::{bayesian::gp_ei::GpEiSettings, population_based::PopulationBased};

use super::{
    cost::Costs,
    search::{Brackets, Group, Search, fixed},
    stages::cut::Validation,
};
use crate::images::setting::{Setting, Sizes};

/// The run that searches are compared with, and whose settings appendix H changes.
pub const MAIN: &str = "stn";

/// A larger budget, in full trainings, is considered a mistake.
const MOST_BUDGET: f64 = 1e5;
/// More epochs of a search than this, too.
const MOST_EPOCHS: usize = 100_000;

/// `[images]` of `configs/stn.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ImagesPart {
    /// The set of images.
    pub data_set: String,
    /// Images of each part.
    pub sizes: Sizes,
    /// Pixels along one side.
    pub side: usize,
    /// How many times narrower the network is than the paper's.
    pub width_divisor: usize,
    /// Images a batch.
    pub batch: usize,
    /// Where networks are trained.
    pub device: Device,
    /// How often everything is done, with other random numbers.
    pub replicates: u32,
    /// In how many of these what the paper does not have is run too.
    pub extension_replicates: u32,
    /// How weights are trained; `epochs` is the most of any training.
    pub descent: SgdConfig,
    /// What each method may spend: full trainings of a search, as multiplications.
    pub budget: f64,
    /// Hyper-parameters with their ranges and starts, by the name of the list.
    pub spaces: BTreeMap<String, Vec<Hyper>>,
    /// Self-tuning networks by name; `stn` is the one that is judged.
    pub tuned: BTreeMap<String, TunedRun>,
    /// What they are compared with.
    pub searches: Searches,
    /// Appendix H.
    pub sensitivity: Sensitivity,
}

/// A network that tunes itself.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TunedRun {
    /// Its hyper-parameters.
    pub space: String,
    /// Steps on training batches in a cycle.
    pub train_steps: usize,
    /// Steps on validation batches in a cycle.
    pub valid_steps: usize,
    /// Epochs before the first cycle.
    pub warm_up_epochs: usize,
    /// Adam's learning rate for the hyper-parameters.
    pub learning_rate: f64,
    /// The perturbation's standard deviation.
    pub scale: Scale,
    /// Whether validation steps perturb the hyper-parameters too.
    pub perturb_validation: bool,
    /// What weights respond to.
    pub response: Response,
    /// Whether elementary outputs of fully connected layers have a factor too.
    pub dense_factor: bool,
    /// Which training images are validated on.
    pub validated: Validation,
}

/// The methods that train one network after another.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Searches {
    /// Their hyper-parameters.
    pub space: String,
    /// The most dropout in a search.
    pub dropouts: f64,
    /// Epochs of a full training.
    pub epochs: usize,
    /// Grid search.
    pub grid: Vec<Group>,
    /// Bayesian optimisation.
    pub gp_ei: GpEiSettings,
    /// Hyperband.
    pub hyperband: Brackets,
    /// Population-based training.
    pub population: PopulationBased,
}

/// Appendix H: what the result depends on.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sensitivity {
    /// How often, with other random numbers.
    pub replicates: u32,
    /// Epochs of a training.
    pub epochs: usize,
    /// Steps on training and on validation batches in a cycle, beside those of `stn`.
    pub schedules: Vec<[usize; 2]>,
    /// Standard deviations that stay.
    pub scales: Vec<f64>,
    /// Starts of those that are learned, beside that of `stn`.
    pub learned_scales: Vec<f64>,
}

impl TunedRun {
    /// What appendix H calls its steps.
    #[must_use]
    pub fn schedule_name(&self) -> String {
        format!("schedule {}:{}", self.train_steps, self.valid_steps)
    }

    /// What appendix H calls its perturbation.
    #[must_use]
    pub fn scale_name(&self) -> String {
        match self.scale {
            Scale::Fixed(scale) => format!("scale {scale}"),
            Scale::Learned { start, .. } => format!("scale learned from {start}"),
        }
    }

    /// What changes the hyper-parameters.
    #[must_use]
    pub fn control(&self, setting: &Setting) -> Control {
        let &Self { train_steps, valid_steps, learning_rate, scale, .. } = self;
        let &Self { perturb_validation, response, .. } = self;
        let warm_up_batches = self.warm_up_epochs * setting.batches();
        Control::Tuned(Tuning {
            train_steps,
            valid_steps,
            warm_up_batches,
            learning_rate,
            scale,
            perturb_validation,
            response,
        })
    }
}

impl ImagesPart {
    /// The settings that all trainings share.
    #[must_use]
    pub fn setting(&self) -> Setting {
        let classes = data::find(&self.data_set).and_then(|e| e.shape.classes).unwrap_or(0);
        let &Self { sizes, side, width_divisor, batch, descent, .. } = self;
        let network = AlexNet { side, classes, width_divisor, dense_factor: false };
        Setting { sizes, network, batch, descent, device: device::resolved(self.device) }
    }

    /// The number of multiplications that each method can spend.
    #[must_use]
    pub fn allowed(&self) -> f64 {
        let (setting, plain) = (self.setting(), fixed(&[]));
        self.budget * Costs::of(&plain).epochs(&setting, &plain, self.searches.epochs)
    }

    /// Epochs of each member of the population; the members share the budget.
    #[must_use]
    pub fn member_epochs(&self) -> usize {
        let (setting, plain) = (self.setting(), fixed(&[]));
        let all = Costs::of(&plain).within(&setting, &plain, self.allowed());
        (all / self.searches.population.members).min(self.descent.epochs)
    }

    /// The searches.
    #[must_use]
    pub fn all_searches(&self) -> [Search; 4] {
        let Searches { grid, gp_ei, hyperband, .. } = &self.searches;
        [
            Search::Grid(grid.clone()),
            Search::Random,
            Search::GpEi(*gp_ei),
            Search::Hyperband(*hyperband),
        ]
    }

    /// Whether only the device differs from `paper`.
    #[must_use]
    pub fn same_size(&self, paper: &Self) -> bool {
        Self { device: paper.device, ..self.clone() } == *paper
    }

    /// Checks the values.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn check(&self, config: &Config) -> Result<()> {
        let refuse = |key: &str, expected: &str| {
            Err(config.invalid(&format!("images.{key}"), &format!("expected {expected}")))
        };
        let images = |entry: &&data::DataSet| matches!(entry.loader, data::Loader::Images(_));
        if !data::find(&self.data_set).as_ref().is_some_and(images) {
            return refuse("data-set", "a set of images that `retune data list` shows");
        }
        for (key, count) in [
            ("sizes.train", self.sizes.train),
            ("sizes.validation", self.sizes.validation),
            ("sizes.test", self.sizes.test),
            ("batch", self.batch),
            ("replicates", self.replicates as usize),
            ("searches.epochs", self.searches.epochs),
            ("sensitivity.epochs", self.sensitivity.epochs),
            ("sensitivity.replicates", self.sensitivity.replicates as usize),
        ] {
            if count == 0 {
                return refuse(key, "at least 1");
            }
        }
        for (key, count) in [
            ("extension-replicates", self.extension_replicates),
            ("sensitivity.replicates", self.sensitivity.replicates),
        ] {
            if count > self.replicates {
                return refuse(key, "at most images.replicates");
            }
        }
        if self.searches.epochs > MOST_EPOCHS {
            return refuse("searches.epochs", &format!("at most {MOST_EPOCHS}"));
        }
        if !(self.budget > 0.0 && self.budget <= MOST_BUDGET) {
            return refuse("budget", &format!("a number above 0, at most {MOST_BUDGET}"));
        }
        if !self.tuned.contains_key(MAIN) {
            return refuse("tuned", &format!("a run called `{MAIN}`"));
        }
        let setting = self.setting();
        for (name, run) in &self.tuned {
            let Some(space) = self.spaces.get(&run.space) else {
                return refuse(&format!("tuned.{name}.space"), "a name of images.spaces");
            };
            let settings = setting.settings(space.clone(), run.control(&setting), 1);
            if let Err(why) = settings.check_settings() {
                return refuse(&format!("tuned.{name}"), &format!("other settings: {why}"));
            }
        }
        let base = &self.tuned[MAIN];
        for run in self.sensitivity.runs(base) {
            if let Err(why) = run.1.control(&setting).check(0) {
                return refuse("sensitivity", &format!("other settings: {why}"));
            }
        }
        self.check_searches(&setting).or_else(|(key, why)| refuse(&key, &why))
    }

    fn check_searches(&self, setting: &Setting) -> std::result::Result<(), (String, String)> {
        let Searches { space, dropouts, epochs, .. } = &self.searches;
        let Some(space) = self.spaces.get(space) else {
            return Err(("searches.space".to_owned(), "a name of images.spaces".to_owned()));
        };
        if !(*dropouts > 0.0 && *dropouts < 1.0) {
            return Err(("searches.dropouts".to_owned(), "between 0 and 1".to_owned()));
        }
        let settings = setting.settings(space.clone(), fixed(&vec![0.0; space.len()]), *epochs);
        settings
            .check_settings()
            .map_err(|why| ("searches".to_owned(), format!("other settings: {why}")))?;
        let members = &self.searches.population;
        if let Err(why) = members.check() {
            return Err(("searches.population".to_owned(), format!("not {why}")));
        }
        if self.member_epochs() == 0 {
            let most = (self.budget * *epochs as f64) as usize;
            let expected = format!("at most {most}, since the budget has no more epochs");
            return Err(("searches.population.members".to_owned(), expected));
        }
        for search in self.all_searches() {
            let other = |why| (format!("searches.{}", search.as_str()), format!("not {why}"));
            search.searcher(space, *dropouts, *epochs).map_err(other)?;
        }
        Ok(())
    }
}

impl Sensitivity {
    /// The variants of a run, by what they change.
    #[must_use]
    pub fn runs(&self, base: &TunedRun) -> Vec<(String, TunedRun)> {
        let schedule = |&[train_steps, valid_steps]: &[usize; 2]| {
            let run = TunedRun { train_steps, valid_steps, ..base.clone() };
            (run.schedule_name(), run)
        };
        let scale = |scale: Scale| {
            let run = TunedRun { scale, ..base.clone() };
            (run.scale_name(), run)
        };
        let learned = |&start: &f64| match base.scale {
            Scale::Learned { learning_rate, entropy, .. } => {
                Some(Scale::Learned { start, learning_rate, entropy })
            }
            Scale::Fixed(_) => None,
        };
        let fixed = self.scales.iter().copied().map(Scale::Fixed);
        let scales = fixed.chain(self.learned_scales.iter().filter_map(learned)).map(scale);
        self.schedules.iter().map(schedule).chain(scales).collect()
    }
}
