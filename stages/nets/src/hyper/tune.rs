//! Trains a network and its hyper-parameters, \[MacKay2019\] Algorithm 1: steps on training batches alternate
//! with steps on validation batches, which update the hyper-parameters.

use models::neural::self_tuning::{
    Control, EpochRecord, Hyper, Response, SgdConfig, StepRecord, Trace,
};
use rand_chacha::ChaCha12Rng;
use tch::{Kind, Tensor};

use super::{
    checkpoint::{Checkpoint, Keep},
    drawn::Drawn,
    moved::{Moved, Noise},
    tunable::{Held, Tunable},
    weights::Weights,
};
use crate::{error::TorchError, hyper::schedule::Schedules, parameters::Placement};

/// How a network is trained.
#[derive(Debug, Clone, Copy)]
pub struct Recipe<'a> {
    /// The hyper-parameters.
    pub hypers: &'a [Hyper],
    /// What changes the hyper-parameters.
    pub control: &'a Control,
    /// How weights are trained.
    pub descent: &'a SgdConfig,
    /// The device and precision.
    pub placement: Placement,
}

/// Trains `task`, resuming from its checkpoint if there is one. `rng` draws perturbations; `after` is called
/// after each epoch.
///
/// # Errors
/// If the settings do not fit, libtorch fails, the checkpoint cannot be written, or `interrupted`, which is
/// called before each step, says so.
pub fn tune(
    task: &mut dyn Tunable,
    recipe: &Recipe<'_>,
    rng: ChaCha12Rng,
    keep: &mut dyn Keep,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, TorchError> {
    recipe.hypers.iter().try_for_each(Hyper::check)?;
    recipe.control.check(recipe.hypers.len())?;
    recipe.descent.check()?;
    let mut run = Run::new(task, recipe, rng)?;
    match keep.load()? {
        Some(checkpoint) => run.resume(&checkpoint)?,
        None => run.record(),
    }
    while !run.is_over() {
        run.cycle(interrupted)?;
        if run.task.epoch() > run.trace.epochs.len() {
            run.evaluate(interrupted)?;
            if let (false, Some(epoch)) = (run.trace.diverged, run.trace.epochs.last()) {
                after(epoch);
            }
            // Also after the last epoch: a longer training resumes from it.
            if !run.trace.diverged {
                keep.save(&run.checkpoint())?;
            }
        }
    }
    Ok(run.trace)
}

struct Run<'a> {
    task: &'a mut dyn Tunable,
    recipe: &'a Recipe<'a>,
    hypers: Hypers<'a>,
    weights: Weights,
    rng: ChaCha12Rng,
    rate: f64,
    batches: u64,
    moves: u64,
    /// Sum of the training losses of this epoch, and their number.
    losses: (Tensor, u64),
    trace: Trace,
}

/// Hyper-parameters that are tuned, or that follow a schedule.
enum Hypers<'a> {
    Tuned(Box<Moved<'a>>),
    Given(Schedules<'a>),
}

impl<'a> Run<'a> {
    fn new(
        task: &'a mut dyn Tunable,
        recipe: &'a Recipe<'a>,
        rng: ChaCha12Rng,
    ) -> Result<Self, TorchError> {
        let Recipe { hypers, control, descent, placement } = *recipe;
        let hypers = match control {
            Control::Tuned(tuning) => {
                Hypers::Tuned(Box::new(Moved::new(hypers, *tuning, placement)))
            }
            Control::Given(schedules) => Hypers::Given(Schedules::new(hypers, schedules)),
        };
        let weights = Weights::new(task, descent.momentum, descent.clip)?;
        let none = Tensor::f_zeros([], (Kind::Double, placement.device))?;
        let (rate, losses) = (descent.learning_rate, (none, 0));
        let trace = Trace::default();
        Ok(Self { task, recipe, hypers, weights, rng, rate, batches: 0, moves: 0, losses, trace })
    }

    fn is_over(&self) -> bool {
        let SgdConfig { epochs, decay, .. } = self.recipe.descent;
        let losses: Vec<f64> = self.trace.epochs.iter().map(|e| e.valid_loss).collect();
        self.trace.diverged || losses.len() >= *epochs || decay.ends(self.rate, &losses)
    }

    /// Steps on training batches and the steps on validation batches that follow; or one training batch while
    /// hyper-parameters are fixed.
    fn cycle(&mut self, interrupted: &dyn Fn() -> bool) -> Result<(), TorchError> {
        let tuning = match &self.hypers {
            Hypers::Tuned(moved) if self.batches >= moved.tuning.warm_up_batches as u64 => {
                Some(moved.tuning)
            }
            _ => None,
        };
        for _ in 0..tuning.map_or(1, |tuning| tuning.train_steps) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            self.train()?;
        }
        for _ in 0..tuning.map_or(0, |tuning| tuning.valid_steps) {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            self.tune()?;
        }
        Ok(())
    }

    /// A step of the weights. If the response is a function of the perturbation, it is trained on every
    /// second batch, and the other weights on the batches between.
    fn train(&mut self) -> Result<(), TorchError> {
        let batch = self.task.training_batch();
        let loss = match &mut self.hypers {
            Hypers::Given(schedules) => {
                let drawn = schedules.drawn(self.batches, batch, &mut self.rng);
                self.descend(&drawn)?
            }
            Hypers::Tuned(moved) if moved.tuning.response == Response::Absolute => {
                let noise = moved.noise(batch, &mut self.rng);
                let drawn = moved.drawn(&noise, false)?;
                self.descend(&drawn)?
            }
            Hypers::Tuned(moved) if self.batches.is_multiple_of(2) => {
                let drawn = moved.still(batch, false)?;
                self.descend(&drawn)?
            }
            Hypers::Tuned(moved) => {
                let noise = moved.noise(batch, &mut self.rng);
                let mut drawn = moved.drawn(&noise, false)?;
                let departure = drawn.response.take().expect("tuned networks respond");
                let origin = departure.f_zeros_like()?.f_set_requires_grad(true)?;
                drawn.response = Some(origin.shallow_clone());
                let forward = self.task.train(&drawn)?;
                self.weights.respond(self.task, &forward, &origin, &departure, self.rate)?
            }
        };
        _ = self.losses.0.f_add_(&loss.f_detach()?.f_to_kind(Kind::Double)?)?;
        self.losses.1 += 1;
        self.batches += 1;
        if let Hypers::Given(schedules) = &self.hypers
            && schedules.vary()
        {
            self.record();
        }
        Ok(())
    }

    fn descend(&mut self, drawn: &Drawn) -> Result<Tensor, TorchError> {
        let loss = self.task.train(drawn)?.loss()?;
        self.weights.descend(self.task, &loss, self.rate)?;
        Ok(loss.value)
    }

    /// A step of the hyper-parameters.
    fn tune(&mut self) -> Result<(), TorchError> {
        let batch = self.task.validation_batch();
        let Hypers::Tuned(moved) = &mut self.hypers else {
            return Ok(());
        };
        let noise = if moved.tuning.perturb_validation {
            moved.noise(batch, &mut self.rng)
        } else {
            Noise::none(batch, self.recipe.hypers.len())
        };
        let drawn = moved.drawn(&noise, true)?;
        let seen = drawn.response.as_ref().expect("tuned networks respond");
        let loss = self.task.validate(&drawn)?.loss()?;
        moved.step(&loss.by_response(seen)?, &noise)?;
        self.moves += 1;
        self.record();
        Ok(())
    }

    /// Records the hyper-parameters.
    fn record(&mut self) {
        let (values, scales) = match &self.hypers {
            Hypers::Tuned(moved) => (moved.values(), moved.scales()),
            Hypers::Given(schedules) => (schedules.last().to_vec(), Vec::new()),
        };
        self.trace.steps.push(StepRecord { batches: self.batches, values, scales });
    }

    fn evaluate(&mut self, interrupted: &dyn Fn() -> bool) -> Result<(), TorchError> {
        let (sum, count) = (self.losses.0.f_double_value(&[])?, self.losses.1);
        self.losses = (self.losses.0.f_zeros_like()?, 0);
        let drawn = match &self.hypers {
            Hypers::Tuned(moved) => moved.still(1, false)?,
            Hypers::Given(schedules) => schedules.still(),
        };
        let valid = self.task.evaluate(Held::Validation, &drawn, interrupted)?;
        let Some(valid) = valid.filter(|_| sum.is_finite()) else {
            self.trace.diverged = true;
            return Ok(());
        };
        let best = self.trace.best().is_none_or(|best| valid.loss < best.valid_loss);
        let test = if best { self.task.evaluate(Held::Test, &drawn, interrupted)? } else { None };
        let before: Vec<f64> = self.trace.epochs.iter().map(|e| e.valid_loss).collect();
        self.trace.epochs.push(EpochRecord {
            batches: self.batches,
            moves: self.moves,
            train_loss: sum / count as f64,
            valid_loss: valid.loss,
            valid_error: valid.error,
            test_loss: test.map(|test| test.loss),
            test_error: test.and_then(|test| test.error),
            rate: self.rate,
        });
        let decay = self.recipe.descent.decay;
        if decay.falls(&before, valid.loss) {
            self.rate *= decay.factor;
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Checkpoint {
        let mut all = Checkpoint::default();
        all.add("weights", &self.task.weights().flat);
        all.add("velocity", &self.weights.velocity);
        all.add_generator("perturbations", &self.rng);
        all.add_numbers("counts", &[self.rate, self.batches as f64, self.moves as f64]);
        all.add_numbers("losses", &[self.losses.1 as f64]);
        all.add("losses.sum", &self.losses.0);
        if let Hypers::Tuned(moved) = &self.hypers {
            moved.save(&mut all);
        }
        all.add_trace(&self.trace);
        self.task.position(&mut all);
        all
    }

    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError> {
        self.task.weights().flat.f_copy_(from.get("weights")?)?;
        self.weights.velocity.f_copy_(from.get("velocity")?)?;
        self.rng = from.generator("perturbations")?;
        let bad = || TorchError::Checkpoint("counts".to_owned());
        let [rate, batches, moves] = from.numbers("counts")?.try_into().map_err(|_| bad())?;
        (self.rate, self.batches, self.moves) = (rate, batches as u64, moves as u64);
        self.losses.0.f_copy_(from.get("losses.sum")?)?;
        self.losses.1 = from.numbers("losses")?.first().map_or(0, |&n| n as u64);
        if let Hypers::Tuned(moved) = &mut self.hypers {
            moved.resume(from)?;
        }
        self.trace = from.trace()?;
        self.task.resume(from)
    }
}
