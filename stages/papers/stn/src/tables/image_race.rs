//! What each run on images found and spent, and how soon.

use kit::row::Row;

use super::label::Label;

/// What a run found.
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

/// What a run had found when so much of the budget was spent.
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
