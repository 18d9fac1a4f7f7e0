//! Runs of the settings of a grid.

use kit::row::Row;

/// Evaluations at which settings are compared: quarters of a run.
pub const MARKS: usize = 4;

/// A run of a setting.
#[derive(Row, Clone, Debug)]
pub struct Ablated {
    /// dimensions of a function, or the benchmark
    pub group: String,
    /// what is minimised
    pub target: String,
    /// number of the seed
    pub seed: u32,
    /// number of the setting in its grid
    pub setting: u32,
    /// lowest loss after a quarter of the evaluations
    pub quarter: f64,
    /// lowest loss after half of them
    pub half: f64,
    /// lowest loss after three quarters
    pub three_quarters: f64,
    /// lowest loss
    pub whole: f64,
}

impl Ablated {
    /// The lowest loss after each quarter.
    #[must_use]
    pub fn marks(&self) -> [f64; MARKS] {
        [self.quarter, self.half, self.three_quarters, self.whole]
    }
}
