//! The interface through which a training uses a network and its data.

use tch::{Reduction, TchError, Tensor};

use super::checkpoint::Checkpoint;
use super::drawn::Drawn;
use super::scan::{self, Scan};
use crate::error::TorchError;
use crate::parameters::Parameters;

/// Data on which weights are not trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The validation set, on which hyper-parameters are tuned and trainings compared.
    Validation,
    /// The test set, on which nothing is chosen.
    Test,
}

/// The evaluation of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// Mean loss.
    pub loss: f64,
    /// Misclassification rate, if that is a measure of the problem.
    pub error: Option<f64>,
}

/// The output of a network for a batch.
#[derive(Debug)]
pub struct Forward {
    /// Logits (N×K).
    pub logits: Tensor,
    /// The classes (N).
    pub targets: Tensor,
    /// The penalty that is added to the mean cross entropy.
    pub penalty: Option<Tensor>,
    /// The parts of the network that are not libtorch's to differentiate, from input to output.
    pub scans: Vec<Scan>,
}

impl Forward {
    /// The mean loss.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn loss(self) -> Result<Loss, TchError> {
        let loss = cross_entropy(&self.logits, &self.targets)?;
        let value = match &self.penalty {
            Some(penalty) => loss.f_add(penalty)?,
            None => loss,
        };
        Ok(Loss { value, scans: self.scans })
    }
}

/// A mean loss that can be differentiated.
#[derive(Debug)]
pub struct Loss {
    /// Its value.
    pub value: Tensor,
    scans: Vec<Scan>,
}

impl Loss {
    /// Its gradient by all weights, as one vector.
    ///
    /// # Errors
    /// If it does not depend on a part of them.
    pub fn by_weights(&self, weights: &Parameters) -> Result<Tensor, TchError> {
        let parts: Vec<&Tensor> = weights.parts.iter().collect();
        let all = scan::gradients(&self.value, &self.scans, &parts, true)?;
        let flat: Vec<Tensor> = all.iter().map(|g| g.f_reshape([-1])).collect::<Result<_, _>>()?;
        Tensor::f_cat(&flat, 0)
    }

    /// Its gradient by what the weights respond to.
    ///
    /// # Errors
    /// If it does not depend on that.
    pub fn by_response(&self, response: &Tensor) -> Result<Tensor, TchError> {
        let mut all = scan::gradients(&self.value, &self.scans, &[response], false)?;
        Ok(all.swap_remove(0))
    }
}

/// The mean cross entropy of logits (N×K) and classes (N).
///
/// # Errors
/// If shapes do not fit.
pub fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<Tensor, TchError> {
    logits.f_cross_entropy_loss(targets, None::<&Tensor>, Reduction::Mean, -100, 0.0)
}

/// A network with its data, whose batches follow one another.
pub trait Tunable {
    /// The weights.
    fn weights(&mut self) -> &mut Parameters;

    /// Number of examples in the next training batch.
    fn training_batch(&self) -> usize;

    /// Number of examples in the next validation batch.
    fn validation_batch(&self) -> usize;

    /// Number of complete passes over the training set so far.
    fn epoch(&self) -> usize;

    /// The network's output on the next training batch, regularised by the hyper-parameters of each example.
    ///
    /// # Errors
    /// If libtorch fails.
    fn train(&mut self, hypers: &Drawn) -> Result<Forward, TorchError>;

    /// The network's output on the next validation batch: nothing is dropped or distorted, and
    /// hyper-parameters act only through the response of the weights.
    ///
    /// # Errors
    /// If libtorch fails.
    fn validate(&mut self, hypers: &Drawn) -> Result<Forward, TorchError>;

    /// The evaluation of the network with hyper-parameters (one row); `None` if an output is not finite. Does
    /// not advance the batches.
    ///
    /// # Errors
    /// If libtorch fails, or the caller asks to stop.
    fn evaluate(
        &mut self,
        on: Held,
        hypers: &Drawn,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Evaluation>, TorchError>;

    /// Marks the weights' response: 1 where a value belongs to it, 0 elsewhere, part by part.
    fn mark(&self, marks: &mut [Vec<f32>]);

    /// Adds to a checkpoint the position of the batches and all other state, except weights, that carries
    /// over from epoch to epoch.
    fn position(&self, all: &mut Checkpoint);

    /// Restores the state from a checkpoint.
    ///
    /// # Errors
    /// If it belongs to another network.
    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError>;
}
