//! The true f.

use kit::{cell::NanIsNull, row::Row};

/// The true f at a λ that some method visited.
#[derive(Row, Clone, Debug)]
pub struct Visited {
    /// first hyper-parameter, to 1e-4
    pub lambda0: f64,
    /// second hyper-parameter, to 1e-4
    #[row(with = NanIsNull)]
    pub lambda1: f64,
    /// f there (sum over the test part)
    pub outer: f64,
    /// validation loss there (sum)
    pub validation: f64,
}

/// The lowest f that was found.
#[derive(Row, Clone, Debug)]
pub struct Optimum {
    /// first hyper-parameter of the optimum
    pub lambda0: f64,
    /// second hyper-parameter of the optimum
    pub lambda1: Option<f64>,
    /// f*
    pub outer: f64,
    /// validation loss at the optimum
    pub validation: f64,
    /// norm of the hypergradient there
    pub gradient_norm: f64,
}
