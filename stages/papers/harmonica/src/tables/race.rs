//! Figures 2 and 3: the result and the cost of each method.

use kit::row::Row;

/// A run of a method.
#[derive(Row, Clone, Debug, Default)]
pub struct RunName {
    /// the method
    pub method: String,
    /// replicate, from 0
    pub replicate: u32,
}

/// Its result.
#[derive(Row, Clone, Debug, Default)]
pub struct Raced {
    /// The run.
    #[row(flatten)]
    pub run: RunName,
    /// lowest test error of a full training
    pub error: Option<f64>,
    /// trainings
    pub trainings: usize,
    /// full trainings of the big network
    pub full: usize,
    /// trainings that diverged
    pub diverged: usize,
    /// epochs of the small network
    pub small_epochs: u32,
    /// epochs of the big network
    pub big_epochs: u32,
    /// epochs of the big network, those of the small one by their share of its multiplications
    pub cost: f64,
}
