//! Runs of methods.

use kit::row::Row;

/// A run after some evaluations.
#[derive(Row, Clone, Debug)]
pub struct Run {
    /// the method
    pub method: String,
    /// dimensions of a function, or the benchmark
    pub group: String,
    /// what is minimised
    pub target: String,
    /// number of the seed
    pub seed: u32,
    /// evaluations so far
    pub evaluations: u32,
    /// lowest loss so far
    pub best: f64,
    /// mean loss of the recorded trainings of the configuration that has it
    pub mean: f64,
}
