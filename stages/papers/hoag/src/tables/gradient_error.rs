//! The error of the hypergradient against the tolerance.

use kit::row::Row;

/// The error at one λ and one tolerance.
#[derive(Row, Clone, Debug)]
pub struct GradientErrorRow {
    /// bilevel problem
    pub problem: String,
    /// first hyper-parameter
    pub lambda0: f64,
    /// tolerance of both subproblems
    pub epsilon: f64,
    /// norm of the hypergradient's error
    pub error: f64,
    /// norm of the exact hypergradient
    pub gradient: f64,
}
