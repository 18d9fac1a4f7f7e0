//! How methods compare.

use kit::row::Row;

/// The average rank of a method.
#[derive(Row, Clone, Debug)]
pub struct Ranked {
    /// dimensions of the functions, or the benchmark
    pub group: String,
    /// the method
    pub method: String,
    /// evaluations
    pub evaluations: u32,
    /// rank of the mean over seeds, the mean over targets; 1 is the best
    pub rank: f64,
    /// number of targets
    pub targets: u32,
}

/// The mean over seeds at the end of the runs, on one target.
#[derive(Row, Clone, Debug)]
pub struct Standing {
    /// what is minimised
    pub target: String,
    /// the method
    pub method: String,
    /// lowest loss, the mean over seeds
    pub best: f64,
}
