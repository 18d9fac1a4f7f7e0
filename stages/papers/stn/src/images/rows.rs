//! Builds the rows that every method writes from the epochs of a training.

use models::neural::self_tuning::EpochRecord;

use crate::tables::{
    images::{Reached, Trained},
    label::Label,
};

impl Reached {
    /// A completed epoch.
    #[must_use]
    pub fn new(training: usize, epoch: usize, cost: f64, record: &EpochRecord) -> Self {
        let valid_loss = Some(record.valid_loss);
        let EpochRecord { valid_error, test_loss, test_error, .. } = *record;
        Self { training, epoch, cost, valid_loss, valid_error, test_loss, test_error }
    }

    /// An epoch in which the training diverged.
    #[must_use]
    pub fn diverged(training: usize, epoch: usize, cost: f64) -> Self {
        Self { training, epoch, cost, ..Self::default() }
    }
}

/// The epochs of a run.
#[must_use]
pub fn trained(label: &Label, epochs: &[Reached]) -> Vec<Trained> {
    epochs.iter().map(|&reached| Trained { label: label.clone(), reached }).collect()
}
