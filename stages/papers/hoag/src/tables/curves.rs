//! Suboptimality and losses along every run, and the times.

use kit::{cell::NanIsNull, row::Row};
use serde::{Deserialize, Serialize};

/// A run of a method on a problem.
#[derive(Row, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunName {
    /// configuration of HOAG
    pub rules: String,
    /// tuner
    pub method: String,
    /// random split
    pub split: u32,
}

/// A step of a run.
#[derive(Row, Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// bilevel problem
    pub problem: String,
    /// The run.
    #[row(flatten)]
    pub run: RunName,
    /// evaluation of λ, from 0
    pub step: usize,
}

/// Its result.
#[derive(Row, Clone, Debug)]
pub struct Reached {
    /// The step.
    #[row(flatten)]
    pub at: RunStep,
    /// first hyper-parameter
    #[row(with = NanIsNull)]
    pub lambda0: f64,
    /// inner iterations so far
    pub inner_iterations: u64,
    /// (f − f*)/f*: at this λ for gradient methods, at the best so far for black-box ones
    pub suboptimality: f64,
    /// outer loss (sum), likewise
    pub test_loss: f64,
    /// validation loss (sum), likewise
    pub validation_loss: f64,
}

/// The times.
#[derive(Row, Clone, Debug)]
pub struct Taken {
    /// The step.
    #[row(flatten)]
    pub at: RunStep,
    /// CPU seconds since the start
    pub cpu_s: f64,
    /// elapsed seconds since the start
    pub wall_s: f64,
}
