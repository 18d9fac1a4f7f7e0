//! f along λ.

use kit::row::Row;

/// f at a point of the grid.
#[derive(Row, Clone, Debug)]
pub struct LandscapeRow {
    /// bilevel problem
    pub problem: String,
    /// first hyper-parameter
    pub lambda0: f64,
    /// second hyper-parameter
    pub lambda1: Option<f64>,
    /// f there (sum over the test part)
    pub outer: f64,
    /// validation loss there (sum)
    pub validation: f64,
}
