//! The part of the config that is about texts, typed and checked.

use models::neural::{
    language::Language,
    residual::Device,
    self_tuning::{Control, Hyper, Schedule, SgdConfig, Tuning},
    self_tuning_lstm::StLstm,
};
use pipeline::{config::Config, error::Result};
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::GpEiSettings,
    multi_fidelity::{
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::HyperbandSettings,
    },
    population_based::PopulationBased,
};

use super::search::{Bound, Search};
use crate::text::schedule;

/// More full trainings or brackets than this are considered a mistake.
const MOST_TRAININGS: usize = 10_000;

/// `[text]` of `configs/stn.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Text {
    /// The text.
    pub data_set: String,
    /// The text in its place where it cannot be had, under its own name.
    pub stand_in: String,
    /// How much of it.
    pub cut: Cut,
    /// Where networks are trained.
    pub device: Device,
    /// How often what Table 1 rests on is done, with other random numbers.
    pub replicates: u32,
    /// The network.
    pub network: Language,
    /// How its weights are trained.
    pub descent: SgdConfig,
    /// How it is tuned.
    pub tuning: Tuning,
    /// Table 1 and figures 3, 8 and 9: output dropout alone.
    pub output: OutputDropout,
    /// Table 2 and figure 4.
    pub seven: Seven,
    /// Other ways of tuning the seven.
    pub variants: Vec<Variant>,
    /// Figure 7.
    pub dropouts: Dropouts,
    /// Figures 10 (a) and 11 (a).
    pub sensitivity: Sensitivity,
    /// Output dropout on another text.
    pub other: Other,
}

/// How much of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Cut {
    /// First words to learn from.
    pub train: usize,
    /// First words to tune by.
    pub validation: usize,
    /// First words to be judged by.
    pub test: usize,
    /// Different words.
    pub vocabulary: usize,
}

/// One hyper-parameter.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputDropout {
    /// It, with its start.
    pub hyper: Hyper,
    /// The values at which it is fixed.
    pub fixed: Vec<f64>,
    /// Standard deviation of the noise about the best of them.
    pub noise: f64,
    /// Amplitude of the sine about it.
    pub amplitude: f64,
    /// Training batches of a period of the sine.
    pub period: f64,
    /// Other starts of the tuned one.
    pub starts: Vec<f64>,
}

/// Seven hyper-parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Seven {
    /// They, with their starts.
    pub hypers: Vec<Hyper>,
    /// Where searches look for them.
    pub bounds: Vec<Bound>,
    /// How often everything about the seven is done.
    pub replicates: u32,
    /// Full trainings of the plain network that a method may spend.
    pub budget: usize,
    /// Values of a grid.
    pub points: usize,
    /// Bayesian optimisation after Spearmint.
    pub gp_ei: GpEiSettings,
    /// Hyperband, whose resource are epochs.
    pub hyperband: Brackets,
    /// Population-based training.
    pub population: PopulationBased,
}

/// Hyperband.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Brackets {
    /// Fewest epochs.
    pub minimum: u64,
    /// Factor between epochs, and share that goes on.
    pub eta: u64,
    /// How many brackets.
    pub brackets: u64,
}

/// Another way.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The network.
    pub network: Language,
    /// How its weights are trained.
    pub descent: SgdConfig,
    /// How it is tuned.
    pub tuning: Tuning,
}

/// Fixed input and output dropout.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dropouts {
    /// How often each pair of values is trained with.
    pub replicates: u32,
    /// Both, input dropout first.
    pub hypers: [Hyper; 2],
    /// Values of input dropout.
    pub input: Vec<f64>,
    /// Values of output dropout.
    pub output: Vec<f64>,
    /// The epochs that are shown, ascending.
    pub epochs: Vec<usize>,
}

/// Settings of the tuning, one at a time; the seven hyper-parameters are tuned.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sensitivity {
    /// Steps on training and on validation batches in a cycle.
    pub schedules: Vec<[usize; 2]>,
    /// Fixed scales of the perturbation.
    pub scales: Vec<f64>,
}

/// Another text.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Other {
    /// The text, of which as much is taken.
    pub data_set: String,
    /// The values at which output dropout is fixed.
    pub fixed: Vec<f64>,
    /// How often.
    pub replicates: u32,
}

impl Text {
    /// A tuned training.
    #[must_use]
    pub fn tuned(&self, hypers: Vec<Hyper>, tuning: Tuning) -> StLstm {
        let Self { network, descent, .. } = *self;
        StLstm { network, hypers, control: Control::Tuned(tuning), descent }
    }

    /// A plain training, whose hyper-parameters follow this.
    #[must_use]
    pub fn plain(&self, hypers: Vec<Hyper>, course: &Schedule) -> StLstm {
        let Self { network, descent, .. } = *self;
        let control = Control::Given(vec![course.clone(); hypers.len()]);
        StLstm { network, hypers, control, descent }
    }

    /// The searches that the tuned training is compared with, by name.
    #[must_use]
    pub fn searches(&self) -> [(&'static str, Search); 4] {
        let Seven { points, gp_ei, hyperband: Brackets { minimum, eta, brackets }, .. } =
            self.seven;
        let maximum = self.descent.epochs as u64;
        let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Paper);
        let budgets = Budgets { minimum, maximum, eta, arithmetic, sizes };
        [
            ("grid", Search::Grid { points }),
            ("random", Search::Random),
            ("gp-ei", Search::GpEi(gp_ei)),
            (
                "hyperband",
                Search::Hyperband(HyperbandSettings { budgets, brackets: Some(brackets) }),
            ),
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
        match self.fault() {
            None => Ok(()),
            Some((key, expected)) => {
                Err(config.invalid(&format!("text.{key}"), &format!("expected {expected}")))
            }
        }
    }

    /// A key and what is accepted there.
    fn fault(&self) -> Option<(&'static str, String)> {
        let fine = |what: &str| what.to_owned();
        for (key, id) in [
            ("data-set", &self.data_set),
            ("stand-in", &self.stand_in),
            ("other.data-set", &self.other.data_set),
        ] {
            let text = |entry: &&data::DataSet| matches!(entry.loader, data::Loader::Corpus(_));
            if !data::find(id).as_ref().is_some_and(text) {
                return Some((key, fine("a text that `retune data list` shows")));
            }
        }
        let Cut { train, validation, test, vocabulary } = self.cut;
        for (key, count) in [
            ("cut.train", train),
            ("cut.validation", validation),
            ("cut.test", test),
            ("cut.vocabulary", vocabulary),
            ("replicates", self.replicates as usize),
            ("seven.replicates", self.seven.replicates as usize),
            ("dropouts.replicates", self.dropouts.replicates as usize),
            ("other.replicates", self.other.replicates as usize),
            ("seven.budget", self.seven.budget),
        ] {
            if count == 0 {
                return Some((key, fine("at least 1")));
            }
        }
        for (key, count) in [
            ("seven.budget", self.seven.budget),
            ("seven.points", self.seven.points),
            ("seven.hyperband.brackets", self.seven.hyperband.brackets as usize),
        ] {
            if count > MOST_TRAININGS {
                return Some((key, format!("at most {MOST_TRAININGS}")));
            }
        }
        self.output_fault().or_else(|| self.seven_fault()).or_else(|| self.figure_fault())
    }

    fn output_fault(&self) -> Option<(&'static str, String)> {
        let OutputDropout { hyper, fixed, noise, amplitude, period, starts } = &self.output;
        let one = || vec![hyper.clone()];
        let courses = [
            ("output.noise", Schedule::Noise { deviation: *noise }),
            ("output.amplitude", Schedule::Sine { amplitude: *amplitude, period: 1.0 }),
            ("output.period", Schedule::Sine { amplitude: 0.0, period: *period }),
        ];
        for (key, course) in courses {
            if let Err(why) = self.plain(one(), &course).check() {
                return Some((key, format!("another number: {why}")));
            }
        }
        if let Err(why) = self.tuned(one(), self.tuning).check() {
            return Some(("tuning", format!("other settings: {why}")));
        }
        for (key, values) in
            [("output.fixed", fixed), ("output.starts", starts), ("other.fixed", &self.other.fixed)]
        {
            if !within(hyper, values) {
                return Some((key, "numbers in the range of output dropout".to_owned()));
            }
        }
        None
    }

    fn seven_fault(&self) -> Option<(&'static str, String)> {
        let Seven { hypers, bounds, budget, population, .. } = &self.seven;
        if let Err(why) = self.tuned(hypers.clone(), self.tuning).check() {
            return Some(("seven.hypers", format!("others: {why}")));
        }
        let names = hypers.iter().map(|h| &h.name);
        if !names.eq(bounds.iter().map(|b| &b.name)) {
            return Some(("seven.bounds", "one for each of the hypers, in their order".to_owned()));
        }
        for (key, search) in [
            ("seven.points", self.searches()[0].1),
            ("seven.bounds", self.searches()[1].1),
            ("seven.gp-ei", self.searches()[2].1),
            ("seven.hyperband", self.searches()[3].1),
        ] {
            match search.cost(bounds, *budget) {
                Err(why) => return Some((key, format!("other settings: {why}"))),
                Ok(cost) if cost > *budget as f64 => {
                    return Some((key, format!("at most {budget} full trainings, not {cost}")));
                }
                Ok(_) => {}
            }
        }
        if let Err(why) = population.check() {
            return Some(("seven.population", format!("other settings: {why}")));
        }
        if population.members != *budget {
            let expected = format!("{budget}, each of which trains in full");
            return Some(("seven.population.members", expected));
        }
        for variant in &self.variants {
            let Variant { network, descent, tuning, .. } = variant.clone();
            let control = Control::Tuned(tuning);
            if let Err(why) = (StLstm { network, hypers: hypers.clone(), control, descent }).check()
            {
                return Some(("variants", format!("other settings of {}: {why}", variant.name)));
            }
        }
        None
    }

    fn figure_fault(&self) -> Option<(&'static str, String)> {
        let Dropouts { hypers, input, output, epochs, .. } = &self.dropouts;
        if let Err(why) = self.plain(hypers.to_vec(), &Schedule::Fixed).check() {
            return Some(("dropouts.hypers", format!("others: {why}")));
        }
        for (key, hyper, values) in
            [("dropouts.input", &hypers[0], input), ("dropouts.output", &hypers[1], output)]
        {
            if !within(hyper, values) {
                return Some((key, "numbers in the range".to_owned()));
            }
        }
        if epochs.is_empty() || epochs[0] == 0 || !epochs.is_sorted() {
            return Some(("dropouts.epochs", "epochs from 1 on, ascending".to_owned()));
        }
        let Sensitivity { schedules, scales } = &self.sensitivity;
        if schedules.iter().flatten().any(|&steps| steps == 0) {
            return Some(("sensitivity.schedules", "at least 1 step each".to_owned()));
        }
        let bad = !scales.iter().all(|s| s.is_finite() && *s > 0.0);
        bad.then(|| ("sensitivity.scales", "numbers above 0".to_owned()))
    }
}

/// A hyper-parameter with another initial value, which can be an end of its range.
#[must_use]
pub fn at(hyper: &Hyper, start: f64) -> Hyper {
    Hyper { start: schedule::inside(hyper.range, start), ..hyper.clone() }
}

/// Whether there are values, all of them in the range.
fn within(hyper: &Hyper, values: &[f64]) -> bool {
    let (low, high) = hyper.range.ends();
    !values.is_empty() && values.iter().all(|v| (low..=high).contains(v))
}
