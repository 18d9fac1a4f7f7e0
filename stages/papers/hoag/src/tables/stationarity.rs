//! The decrease of the exact gradient mapping along long runs.

use kit::row::Row;

/// The ends of one run.
#[derive(Row, Clone, Debug)]
pub struct Ends {
    /// bilevel problem
    pub problem: String,
    /// configuration of HOAG
    pub rules: String,
    /// tolerance sequence
    pub method: String,
    /// norm of the exact gradient mapping at λ₁
    pub start: f64,
    /// the same at the last λ
    pub end: f64,
    /// outer iterations
    pub steps: usize,
}
