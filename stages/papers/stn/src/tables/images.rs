//! The table that every method on images writes, so that they can be compared: the epochs of each training,
//! in the order in which they were made, with the cost so far.

use kit::row::Row;

use super::label::Label;

/// An epoch of a training within a run.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Trained {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// The epoch.
    #[row(flatten)]
    pub reached: Reached,
}

/// An epoch, without the label of its run.
#[derive(Row, Clone, Copy, Debug, Default, PartialEq)]
pub struct Reached {
    /// number of the training, from 0
    pub training: usize,
    /// epoch of the training, from 1
    pub epoch: usize,
    /// multiplications of the run so far
    pub cost: f64,
    /// validation loss; none where it diverged
    pub valid_loss: Option<f64>,
    /// validation error rate
    pub valid_error: Option<f64>,
    /// test loss where validation is best so far
    pub test_loss: Option<f64>,
    /// test error rate, likewise
    pub test_error: Option<f64>,
}
