//! The part of the config that is about networks, typed and checked.

use kit::ranges::Ranges;
use models::neural::residual::{Architecture, COUNT, Device, Precision};
use pipeline::{config::Config, error::Result};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::GpEiSettings,
    harmonica::HarmonicaSettings,
    multi_fidelity::{
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::HyperbandSettings,
        successive_halving::SuccessiveHalvingSettings,
    },
};

use super::search::{Search, halving_rounds, hyperband_rounds};

/// `[network]` of `configs/harmonica.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Network {
    /// The set of images.
    pub data_set: String,
    /// Images to train on.
    #[range(at_least = 1, at_most = MOST)]
    pub train: usize,
    /// Images that errors are measured on.
    #[range(at_least = 1, at_most = MOST)]
    pub test: usize,
    /// Pixels along one side; the network halves it twice.
    #[range(at_least = 8)]
    pub size: usize,
    /// Whether training images are shifted and mirrored.
    pub augment: bool,
    /// Where networks are trained.
    pub device: Device,
    /// The precision in which a GPU multiplies.
    pub precision: Precision,
    /// How often everything is done, with other random numbers.
    #[range(at_least = 1, at_most = MOST)]
    pub replicates: u32,
    /// The network on which features are found.
    #[range(inside)]
    pub small: Scale,
    /// The network that is tuned.
    #[range(inside)]
    pub big: Scale,
    /// The stages of Harmonica.
    pub harmonica: HarmonicaSettings,
    /// Random samples after the last stage, for the average error there.
    #[range(at_least = 1, at_most = MOST)]
    pub after: usize,
    /// Successive halving, alone and after Harmonica.
    #[range(inside)]
    pub halving: Halving,
    /// How many times as many configurations successive halving gets in the `-long` variants; 0 for
    /// no such variants.
    pub long: usize,
    /// Random search.
    #[range(inside)]
    pub random: RandomSearch,
    /// Hyperband.
    #[range(inside)]
    pub hyperband: Brackets,
    /// Bayesian optimisation after Spearmint, without the dummy variables.
    #[range(inside)]
    pub gp_ei: Bayes,
    /// How the best small configurations do as large ones.
    #[range(inside)]
    pub transfer: Transfer,
    /// Where features must not change.
    pub stability: Stability,
}

/// More trainings, images or epochs than this are considered a mistake.
const MOST: usize = 100_000;

/// A network and its full training.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Ranges, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// Layers, 6n + 2.
    pub depth: usize,
    /// Channels of the three groups.
    pub widths: [usize; 3],
    /// Epochs of a full training.
    #[range(at_least = 1, at_most = MOST)]
    pub epochs: usize,
    /// Trainings that make one stage: changes no result.
    #[range(at_least = 1, at_most = MOST)]
    pub per_stage: usize,
}

/// Successive halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Halving {
    /// Configurations at the start.
    #[range(at_most = MOST)]
    pub configurations: usize,
    /// Epochs at the start.
    pub minimum: u64,
    /// Factor between epochs, and share that goes on.
    pub eta: u64,
}

/// Hyperband.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Brackets {
    /// Fewest epochs.
    pub minimum: u64,
    /// Factor between epochs, and share that goes on.
    pub eta: u64,
    /// How many brackets; 0 for no Hyperband.
    #[range(at_most = MOST)]
    pub brackets: u64,
}

/// Random search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomSearch {
    /// Configurations.
    #[range(at_least = 1, at_most = MOST)]
    pub configurations: usize,
    /// How many times as many `random-8x` has; 0 for no such search.
    #[range(at_most = MOST)]
    pub times: usize,
    /// Configurations where random search comes after Harmonica.
    #[range(at_least = 1, at_most = MOST)]
    pub base: usize,
}

/// Bayesian optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bayes {
    /// Configurations, one after another.
    #[range(at_least = 1, at_most = MOST)]
    pub trials: usize,
    /// Its settings.
    pub settings: GpEiSettings,
}

/// \[Hazan2018\] A.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Ranges, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Transfer {
    /// The best random configurations of the small network.
    #[range(at_least = 1, at_most = MOST)]
    pub best: usize,
    /// All their neighbours together.
    #[range(at_most = MOST)]
    pub neighbours: usize,
}

/// \[Hazan2018\] Table 1, one entry per stage.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stability {
    /// Least and largest λ.
    pub lambda: Vec<[f64; 2]>,
    /// Fewest samples.
    pub samples: Vec<usize>,
}

impl Scale {
    /// The settings that determine one training: all except the number of trainings per stage.
    fn training(&self) -> (usize, [usize; 3], usize) {
        (self.depth, self.widths, self.epochs)
    }

    /// The network, for this many classes.
    #[must_use]
    pub fn architecture(&self, classes: usize) -> Architecture {
        Architecture { depth: self.depth, widths: self.widths, classes }
    }
}

impl Network {
    /// Successive halving with `times` the configurations.
    #[must_use]
    pub fn successive_halving(&self, times: usize) -> SuccessiveHalvingSettings {
        let Halving { configurations, minimum, eta } = self.halving;
        let budgets = self.budgets(minimum, eta);
        let configurations = configurations * times;
        SuccessiveHalvingSettings { budgets, configurations, brackets: Some(1) }
    }

    /// Hyperband's settings.
    #[must_use]
    pub fn hyperband(&self) -> HyperbandSettings {
        let Brackets { minimum, eta, brackets } = self.hyperband;
        HyperbandSettings { budgets: self.budgets(minimum, eta), brackets: Some(brackets) }
    }

    fn budgets(&self, minimum: u64, eta: u64) -> Budgets {
        let maximum = self.big.epochs as u64;
        Budgets { minimum, maximum, eta, arithmetic: Arithmetic::Exact, sizes: Sizes::Paper }
    }

    /// Harmonica with only the first `stages` of its stages, followed by `base`.
    #[must_use]
    pub fn search(&self, stages: usize, base: Option<SuccessiveHalvingSettings>) -> Search {
        Search::Harmonica { settings: HarmonicaSettings { stages, ..self.harmonica }, base }
    }

    /// The claims whose evidence differs in size from that of `paper`. The number of replicates does not
    /// count as size.
    #[must_use]
    pub fn scaled_down(&self, paper: &Self) -> Vec<&'static str> {
        let features = |n: &Self| {
            let images = (n.data_set.clone(), n.train, n.test, n.size, n.augment);
            (images, n.small.training(), n.harmonica)
        };
        let small = features(self) == features(paper);
        let tuned = |n: &Self| (n.big.training(), n.halving, n.random, n.hyperband);
        let big = small && tuned(self) == tuned(paper);
        let parts = [
            ("H4", small && self.stability == paper.stability),
            ("H5", small),
            ("H6", small),
            ("H7", small && self.after == paper.after),
            ("H8", big),
            ("H9", big),
            ("H10", big && self.transfer == paper.transfer),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(id, _)| id).collect()
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        data::find(&self.data_set).and_then(|entry| entry.shape.classes).unwrap_or(0)
    }

    /// Checks the values.
    ///
    /// # Errors
    /// If a value is invalid: names file, line, key and what would be accepted.
    pub fn check(&self, config: &Config) -> Result<()> {
        let refuse = |key: &str, expected: &str| {
            Err(config.invalid(&format!("network.{key}"), &format!("expected {expected}")))
        };
        let images = |entry: &&data::DataSet| matches!(entry.loader, data::Loader::Images(_));
        if !data::find(&self.data_set).as_ref().is_some_and(images) {
            return refuse("data-set", "a set of images that `retune data list` shows");
        }
        if self.device == Device::Cpu && !self.precision.is_usual() {
            return refuse("precision", "`float32`, the precision of the CPU, or another device");
        }
        if !(1..=MOST).contains(&self.harmonica.samples) {
            return refuse("harmonica.samples", &format!("1 to {MOST}"));
        }
        if self.after > self.harmonica.samples {
            return refuse("after", "at most as many as harmonica.samples");
        }
        if self.random.times == 1 {
            return refuse("random.times", "at least 2, or 0 for no longer search");
        }
        for (key, scale) in [("small", &self.small), ("big", &self.big)] {
            if let Err(why) = scale.architecture(self.classes()).check() {
                return refuse(key, &format!("another network: {why}"));
            }
        }
        let faults = [
            ("halving", halving_rounds(self.successive_halving(1)).err()),
            ("hyperband", hyperband_rounds(self.hyperband()).err()),
            ("harmonica", self.search(1, None).tuner(COUNT).err()),
            ("gp-ei", Search::GpEi(self.gp_ei.settings).tuner(COUNT).err()),
        ];
        for (key, fault) in faults {
            if let Some(fault) = fault {
                return refuse(key, &format!("other settings: {fault}"));
            }
        }
        let stages = self.harmonica.stages;
        if stages == 0 {
            return refuse("harmonica.stages", "at least 1");
        }
        if self.transfer.best > self.harmonica.samples {
            return refuse("transfer.best", "at most as many as harmonica.samples");
        }
        let Stability { lambda, samples } = &self.stability;
        let range = |[low, high]: &[f64; 2]| {
            low.is_finite() && *low > 0.0 && high.is_finite() && low < high
        };
        if lambda.len() != stages || !lambda.iter().all(range) {
            return refuse(
                "stability.lambda",
                "[least, largest] with 0 < least < largest, one per stage",
            );
        }
        let within = |n: &usize| (1..=self.harmonica.samples).contains(n);
        if samples.len() != stages || !samples.iter().all(within) {
            return refuse("stability.samples", "at most harmonica.samples, one per stage");
        }
        Ok(())
    }
}
