//! The record of a training.

use serde::{Deserialize, Serialize};

/// The trace of a training.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// One row per epoch.
    pub epochs: Vec<EpochRecord>,
    /// The hyper-parameters, before the first step and after each change.
    pub steps: Vec<StepRecord>,
    /// Whether a loss was not finite; the training ends there.
    pub diverged: bool,
}

/// An epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Number of training batches up to its end.
    pub batches: u64,
    /// Number of batches on which hyper-parameters were updated, up to its end.
    pub moves: u64,
    /// Mean of its training losses at perturbed hyper-parameters.
    pub train_loss: f64,
    /// Validation loss at its end, at the unperturbed hyper-parameters.
    pub valid_loss: f64,
    /// Validation error rate; `None` if the problem has none.
    pub valid_error: Option<f64>,
    /// Test loss if the validation loss is the lowest so far.
    pub test_loss: Option<f64>,
    /// Test error rate, likewise.
    pub test_error: Option<f64>,
    /// The learning rate of the weights in this epoch.
    pub rate: f64,
}

/// The hyper-parameters at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Number of training batches before.
    pub batches: u64,
    /// Their valid values.
    pub values: Vec<f64>,
    /// Standard deviations of the perturbation; `None` if nothing is perturbed.
    pub scales: Vec<f64>,
}

impl Trace {
    /// The epoch with the lowest validation loss, the first of equals; `None` without epochs.
    pub fn best(&self) -> Option<&EpochRecord> {
        self.epochs.iter().min_by(|a, b| a.valid_loss.total_cmp(&b.valid_loss))
    }
}
