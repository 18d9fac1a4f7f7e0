//! What a training needs to know of a network and its data.

use tch::{Reduction, TchError, Tensor};

use super::checkpoint::Checkpoint;
use super::drawn::Drawn;
use crate::error::TorchError;
use crate::parameters::Parameters;

/// Data that weights are not trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// On which hyper-parameters are tuned and trainings compared.
    Validation,
    /// On which nothing is chosen.
    Test,
}

/// How good a network is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// Mean loss.
    pub loss: f64,
    /// Share of examples told wrongly, where that is a measure.
    pub error: Option<f64>,
}

/// What a network says of a batch.
#[derive(Debug)]
pub struct Forward {
    /// Logits (N×K).
    pub logits: Tensor,
    /// The classes (N).
    pub targets: Tensor,
    /// What is added to the mean cross entropy.
    pub penalty: Option<Tensor>,
}

impl Forward {
    /// The mean loss.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn loss(&self) -> Result<Tensor, TchError> {
        let loss = cross_entropy(&self.logits, &self.targets)?;
        self.penalty.as_ref().map_or(Ok(loss.shallow_clone()), |penalty| loss.f_add(penalty))
    }
}

/// The mean cross entropy of logits (N×K) and classes (N).
///
/// # Errors
/// If shapes do not fit.
pub fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor, TchError> {
    logits.f_cross_entropy_loss(targets, None::<&Tensor>, Reduction::Mean, -100, 0.0)
}

/// A network with its data: batches come one after another, and know where they are.
pub trait Tunable {
    /// The weights.
    fn weights(&mut self) -> &mut Parameters;

    /// Examples of the next training batch.
    fn training_batch(&self) -> usize;

    /// Examples of the next validation batch.
    fn validation_batch(&self) -> usize;

    /// Whole passes over the training part so far.
    fn epoch(&self) -> usize;

    /// The network on the next training batch, regularised as the hyper-parameters of each example
    /// say.
    ///
    /// # Errors
    /// If libtorch refuses.
    fn train(&mut self, hypers: &Drawn) -> Result<Forward, TorchError>;

    /// The network on the next validation batch: nothing is dropped or distorted, and
    /// hyper-parameters act by the response of the weights alone.
    ///
    /// # Errors
    /// If libtorch refuses.
    fn validate(&mut self, hypers: &Drawn) -> Result<Forward, TorchError>;

    /// How good the network is with hyper-parameters (one row); none if an output is no finite
    /// number. Does not move the batches.
    ///
    /// # Errors
    /// If libtorch refuses, or the caller asks to stop.
    fn evaluate(
        &mut self,
        on: Held,
        hypers: &Drawn,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Evaluation>, TorchError>;

    /// Marks the weights' response: 1 where a value belongs to it, 0 elsewhere, part by part.
    fn mark(&self, marks: &mut [Vec<f32>]);

    /// Adds to a checkpoint where the batches are, and all else but weights that goes on from epoch
    /// to epoch.
    fn position(&self, all: &mut Checkpoint);

    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// If it is not one of this network's.
    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError>;
}
