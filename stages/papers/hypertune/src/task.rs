//! A learner on a data set, and one run of a tuner on it.

use driver::{Search, Told};
use kit::device;
use numerics::space::Space;
use pipeline::{
    machine,
    stage::{Context, Needs, Stop},
};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::tuner::{Suggestion, Tuner};

use super::{evaluation::Evaluation, learn::Learner};
use crate::{
    dataset::View,
    evaluator::Evaluator,
    tables::trials::{Label, Parameters},
    trials::{Entry, Trials},
};

/// The shared parameters of a run's stages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The description of the run in its rows.
    pub label: Label,
    /// The learner.
    pub learner: Learner,
    /// The form in which its data are used.
    pub view: View,
}

impl Task {
    /// The needs of a stage that trains its learner.
    #[must_use]
    pub fn needs(&self, memory_mib: u64) -> Needs {
        match self.learner.device() {
            Some(device) => device::needs(device, memory_mib),
            None => Needs::worker(memory_mib),
        }
    }
}

/// The state of a run: it evaluates, counts work, and keeps the trials.
pub struct Run<'a> {
    task: &'a Task,
    cx: &'a Context,
    /// The data.
    pub evaluator: Evaluator,
    /// The learner's space.
    pub space: Space,
    /// The evaluations so far.
    pub trials: Trials,
    /// Work done before the run, or so far.
    pub work: f64,
}

/// Converts any error to a failed stage.
pub fn fail(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}

impl<'a> Run<'a> {
    /// Reads the data; `before` is work that counts for the run.
    ///
    /// # Errors
    /// If an artifact is corrupt.
    pub fn new(task: &'a Task, cx: &'a Context, before: f64) -> Result<Self, Stop> {
        let evaluator = Evaluator::read(cx, task.view, task.learner.input_kind())?;
        let space = task.learner.space().map_err(fail)?;
        Ok(Self { task, cx, evaluator, space, trials: Trials::default(), work: before })
    }

    /// The generator of one evaluation, independent of how much other evaluations draw.
    fn rng(&self) -> Result<ChaCha12Rng, Stop> {
        Ok(self.cx.rng(&format!("evaluation {}", self.trials.entries.len()))?)
    }

    /// Evaluates a configuration on these training rows, or on 1/divisor of them, drawn at random. The
    /// held-out part is evaluated if the error is below `below`. Nothing is recorded yet.
    fn evaluate_on(
        &mut self,
        config: &[f64],
        (divisor, rows): (u64, Option<&[usize]>),
        below: f64,
    ) -> Result<Evaluation, Stop> {
        let clock = machine::cpu_seconds();
        let mut rng = self.rng()?;
        let drawn;
        let rows = if let Some(rows) = rows {
            rows
        } else {
            drawn = self.evaluator.subset(divisor, &mut rng);
            &drawn
        };
        let with: (_, &dyn Fn() -> bool) = (&mut rng, &|| self.cx.cancelled());
        let found = self.evaluator.evaluate(self.task.learner, config, rows, below, with)?;
        self.trials.times.train_s += machine::cpu_seconds() - clock;
        Ok(found)
    }

    /// Evaluates on 1/divisor of the training rows, redrawn each time. On all of them the held-out part is
    /// evaluated if the error is a new lowest one.
    ///
    /// # Errors
    /// If the stage has no seed, or as [`Evaluator::evaluate`].
    pub fn evaluate(&mut self, config: &[f64], divisor: u64) -> Result<Evaluation, Stop> {
        let below = if divisor == 1 { self.trials.lowest() } else { f64::NEG_INFINITY };
        self.evaluate_on(config, (divisor, None), below)
    }

    /// Evaluates on these training rows.
    ///
    /// # Errors
    /// As [`Run::evaluate`].
    pub fn evaluate_rows(&mut self, config: &[f64], rows: &[usize]) -> Result<Evaluation, Stop> {
        self.evaluate_on(config, (0, Some(rows)), f64::NEG_INFINITY)
    }

    /// Trains on all training rows and evaluates on both other parts.
    ///
    /// # Errors
    /// As [`Run::evaluate`].
    pub fn rebuild(&mut self, config: &[f64]) -> Result<Evaluation, Stop> {
        self.evaluate_on(config, (1, None), f64::INFINITY)
    }

    /// Records the result of [`Run::evaluate`].
    pub fn enter(&mut self, config: Vec<f64>, divisor: u64, found: Evaluation, noise: Option<f64>) {
        self.work += found.work;
        let entry = Entry {
            config: Parameters(config),
            divisor: u32::try_from(divisor).unwrap_or(u32::MAX),
            validation: found.validation,
            held_out: found.held_out,
            work: self.work,
            noise,
            chosen: false,
        };
        self.trials.entries.push(entry);
    }

    /// Searches with `tuner`, at most `most` times: `evaluate` records what counts, and ends the search with `None`.
    ///
    /// # Errors
    /// Those of `evaluate`.
    pub fn search<T: Tuner>(
        &mut self,
        tuner: &mut T,
        rng: &mut ChaCha12Rng,
        most: usize,
        mut evaluate: impl FnMut(&mut Self, &Suggestion, &T) -> Result<Option<Told>, Stop>,
    ) -> Result<(), Stop> {
        let mut search = Search::new(tuner, rng);
        let end = search.run(most, |suggestion, tuner| evaluate(self, suggestion, tuner));
        self.trials.times.tuner_s += search.took().cpu_s;
        end
    }

    /// CPU seconds of `step`, counted for the tuner.
    pub fn tuning<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let clock = machine::cpu_seconds();
        let out = step();
        self.trials.times.tuner_s += machine::cpu_seconds() - clock;
        out
    }
}
