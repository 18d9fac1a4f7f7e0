//! What is recorded of a training.

use serde::{Deserialize, Serialize};

/// A training.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// One row an epoch.
    pub epochs: Vec<EpochRecord>,
    /// The hyper-parameters, before the first step and after each change.
    pub steps: Vec<StepRecord>,
    /// Whether a loss was no finite number; the training ends there.
    pub diverged: bool,
}

/// An epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Training batches up to its end.
    pub batches: u64,
    /// Batches on which hyper-parameters were moved, up to its end.
    pub moves: u64,
    /// Mean of its training losses, perturbed.
    pub train_loss: f64,
    /// Validation loss at its end, at the hyper-parameters themselves.
    pub valid_loss: f64,
    /// Validation error rate; none where the problem has none.
    pub valid_error: Option<f64>,
    /// Test loss where the validation loss is the least so far.
    pub test_loss: Option<f64>,
    /// Test error rate, likewise.
    pub test_error: Option<f64>,
    /// The learning rate of the weights in it.
    pub rate: f64,
}

/// Where the hyper-parameters were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Training batches before.
    pub batches: u64,
    /// Their valid values.
    pub values: Vec<f64>,
    /// Standard deviations of the perturbation; none where nothing is perturbed.
    pub scales: Vec<f64>,
}

impl Trace {
    /// The epoch of least validation loss, the first of equals; none without an epoch.
    pub fn best(&self) -> Option<&EpochRecord> {
        self.epochs.iter().min_by(|a, b| a.valid_loss.total_cmp(&b.valid_loss))
    }
}
