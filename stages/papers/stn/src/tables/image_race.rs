//! The result, the cost and the progress of each run on images.

use kit::row::Row;

use super::label::Label;

/// The result of a run.
#[derive(Row, Clone, Debug, Default)]
pub struct Raced {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// least validation loss of an epoch
    pub valid_loss: Option<f64>,
    /// validation error rate there
    pub valid_error: Option<f64>,
    /// test loss there
    pub test_loss: Option<f64>,
    /// test error rate there
    pub test_error: Option<f64>,
    /// epoch of its training there, from 1
    pub epoch: usize,
    /// multiplications spent in all
    pub cost: f64,
    /// trainings
    pub trainings: usize,
    /// epochs of all trainings
    pub epochs: usize,
    /// trainings that diverged
    pub diverged: usize,
}

/// The result of a run after a share of the budget.
#[derive(Row, Clone, Debug, Default)]
pub struct Sooner {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// share of the budget
    pub share: f64,
    /// multiplications
    pub cost: f64,
    /// least validation loss by then
    pub valid_loss: Option<f64>,
    /// test loss there
    pub test_loss: Option<f64>,
}
