//! The work of STN's stages: multiplications of networks, as in the paper's costs, and for exact problems the
//! products of their sizes.

use data::corpus_table;
use kit::work::images;
use models::neural::{self_tuning::Decay, self_tuning_lstm::StLstm};
use pipeline::work::{Inputs, Size, Work};

use super::{
    exact::stages::{
        gated::GatedStage, neighbourhood::NeighbourhoodStage, quadratic::QuadraticStage,
    },
    images::{
        cost::{Costs, multiplications as image_cost},
        search::fixed,
        stages::{
            cut::Cut, population::Population as ImagePopulation, race::Race as ImageRace,
            searched::Searched, tuned::Tuned,
        },
    },
    text::{
        cost,
        search::Search,
        stages::{
            ask::Ask,
            choose::Choose,
            collect::Collect,
            cut::{CutStage, ROLES},
            population::Population,
            race::Race,
            timed::Timed,
            train::Train,
        },
    },
    trace::SHOWN,
};
use crate::images::setting::Setting;

/// The cost of a forward and backward step, in forward steps.
const BACK: f64 = 3.0;
/// A training ends when its validation loss no longer falls, which takes some epochs to detect: it lasts
/// approximately this many times as long, unless its epochs end before. The maximum number of epochs may only
/// be a safeguard.
const WAITED: usize = 4;

/// The constant cost of the parts of one pass of a batch, in multiplications: for an image network once, for
/// one on a text for every word that it reads in sequence.
const IMAGE_PASS: f64 = 6e6;
const WORD_PASS: f64 = 2.6e6;

/// The time of a pass relative to its multiplications, which are `one` per example, in batches of `batch`.
fn with_pass(pass: f64, one: f64, batch: usize) -> f64 {
    1.0 + pass / (one * batch as f64)
}

/// The same for the network of `setting`.
fn image_pass(setting: &Setting) -> f64 {
    with_pass(IMAGE_PASS, image_cost(&setting.network), setting.batch)
}

/// The probable number of epochs of a training.
fn likely(epochs: usize, decay: Decay) -> usize {
    epochs.min(WAITED * decay.patience)
}

/// The size of a training's tables: that of its epochs, except for the courses. A course has every change,
/// not only those that are shown; reading it takes negligible time.
fn traced(output: &str, epochs: usize, hypers: usize) -> Size {
    match output {
        "steps" | "course" => Size::new(SHOWN * hypers, 5),
        _ => Size::new(epochs, 11),
    }
}

/// Multiplications of an image network's training.
impl Work for Tuned {
    fn work(&self, _: &Inputs) -> f64 {
        let epochs = likely(self.epochs, self.setting.descent.decay);
        let training = Costs::of(&self.control).epochs(&self.setting, &self.control, epochs);
        image_pass(&self.setting) * training
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let epochs = likely(self.epochs, self.setting.descent.decay);
        Some(traced(output, epochs, self.hypers.len()))
    }
}

/// The budget in multiplications.
impl Work for Searched {
    fn work(&self, _: &Inputs) -> f64 {
        // A search ends with whole epochs, and makes at least one.
        let control = fixed(&[]);
        let epoch = Costs::of(&control).epochs(&self.setting, &control, 1);
        image_pass(&self.setting) * self.budget.max(epoch)
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        let control = fixed(&[]);
        let epochs = Costs::of(&control).within(&self.setting, &control, self.budget).max(1);
        match output {
            "configurations" => {
                Some(Size::new(epochs.div_ceil(self.epochs), self.hypers.len() + 3))
            }
            _ => Some(Size::new(epochs, 9)),
        }
    }
}

/// Members × multiplications of a training.
impl Work for ImagePopulation {
    fn work(&self, _: &Inputs) -> f64 {
        let control = fixed(&[]);
        let training = Costs::of(&control).epochs(&self.setting, &control, self.epochs);
        self.population.members as f64 * image_pass(&self.setting) * training
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.population.members * self.epochs, 9))
    }
}

/// Pixels of the published images.
impl Work for Cut {
    fn work(&self, inputs: &Inputs) -> f64 {
        inputs.cells("images")
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        let all = self.sizes.train + self.sizes.validation + self.sizes.test;
        Some(images(all, 3 * self.side * self.side))
    }
}

impl Work for ImageRace {}

/// Epochs of a language network's training.
fn epochs(settings: &StLstm) -> usize {
    likely(settings.descent.epochs, settings.descent.decay)
}

/// Multiplications of a language network's training: words × epochs.
fn training(settings: &StLstm, inputs: &Inputs) -> f64 {
    let words = inputs.rows("vocabulary") as usize;
    let tuned = settings.control.tunes();
    let word = cost::multiplications(&settings.network, words, tuned);
    let plain = cost::multiplications(&settings.network, words, false);
    let pass = with_pass(WORD_PASS, plain, settings.network.batch);
    BACK * epochs(settings) as f64 * inputs.rows("words") * word * pass
}

/// Words × epochs × multiplications per word.
impl Work for Train {
    fn work(&self, inputs: &Inputs) -> f64 {
        training(&self.settings, inputs)
    }

    fn variant(&self) -> String {
        if self.settings.control.tunes() { "tuned".to_owned() } else { "plain".to_owned() }
    }

    fn writes(&self, output: &str, _: &Inputs) -> Option<Size> {
        Some(traced(output, epochs(&self.settings), self.settings.hypers.len()))
    }
}

/// Members × a training.
impl Work for Population {
    fn work(&self, inputs: &Inputs) -> f64 {
        self.population.members as f64 * training(&self.settings, inputs)
    }

    fn writes(&self, _: &str, _: &Inputs) -> Option<Size> {
        Some(Size::new(self.population.members * epochs(&self.settings), 9))
    }
}

/// Words.
impl Work for CutStage {
    fn work(&self, inputs: &Inputs) -> f64 {
        let [words, _] = text(inputs);
        inputs.rows(words) + (self.cut.train + self.cut.validation + self.cut.test) as f64
    }

    fn writes(&self, output: &str, inputs: &Inputs) -> Option<Size> {
        let [words, vocabulary] = text(inputs);
        match output {
            "main" => {
                let all = self.cut.train + self.cut.validation + self.cut.test;
                Some(Size { rows: (all as f64).min(inputs.rows(words)), columns: 2.0 })
            }
            corpus_table::VOCABULARY => {
                let all = self.cut.vocabulary as f64;
                Some(Size { rows: all.min(inputs.rows(vocabulary)), columns: 1.0 })
            }
            _ => Some(Size::new(1, 1)),
        }
    }
}

/// The roles of the text that is cut: the first that is available.
fn text(inputs: &Inputs) -> [&'static str; 2] {
    let there = |[words, _]: &[&'static str; 2]| inputs.roles().any(|role| role == *words);
    ROLES.into_iter().find(there).unwrap_or(ROLES[0])
}

/// For GP-EI, trainings told × the search of an acquisition's maximum; otherwise rows.
impl Work for Ask {
    fn work(&self, inputs: &Inputs) -> f64 {
        let told = inputs.count_of("told ") + 1.0;
        match self.search {
            Search::GpEi(settings) => {
                told * (settings.grid + settings.refined * settings.iterations) as f64
            }
            _ => told,
        }
    }

    fn variant(&self) -> String {
        match self.search {
            Search::Grid { .. } => "grid",
            Search::Random => "random",
            Search::GpEi(_) => "gp-ei",
            Search::Hyperband(_) => "hyperband",
        }
        .to_owned()
    }
}

impl Work for Choose {}
impl Work for Collect {}

impl Work for Race {}

impl Work for Timed {}

/// Networks × (inputs³ + penalties × inputs² × examples).
impl Work for GatedStage {
    fn work(&self, _: &Inputs) -> f64 {
        let values = &self.values;
        let each = |&dimension: &usize| {
            let d = dimension as f64;
            d.powi(3) + f64::from(values.penalties) * (d * d * values.examples as f64 + d.powi(3))
        };
        let networks = values.spreads.len() as f64 * f64::from(values.seeds);
        networks * values.dimensions.iter().map(each).sum::<f64>()
    }
}

/// Fits × steps.
impl Work for NeighbourhoodStage {
    fn work(&self, _: &Inputs) -> f64 {
        let fits = f64::from(self.values.starts) * self.values.deviations.len() as f64;
        fits * f64::from(self.values.steps)
    }
}

/// The cost of a random number, in multiplications.
const DRAWN: f64 = 20.0;

/// Losses × steps × draws × weights².
impl Work for QuadraticStage {
    fn work(&self, _: &Inputs) -> f64 {
        let values = &self.values;
        let each = |&[hypers, weights]: &[usize; 2]| {
            let (n, m) = (hypers as f64, weights as f64);
            f64::from(values.steps) * values.batch as f64 * (n + m) * (m + DRAWN)
        };
        f64::from(values.seeds) * values.sizes.iter().map(each).sum::<f64>()
    }
}
