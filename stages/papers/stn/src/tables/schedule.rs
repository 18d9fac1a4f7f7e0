//! Schedules of hyper-parameters.

use kit::row::Row;

/// A value of a hyper-parameter from a training batch on.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Point {
    /// hyper-parameter
    pub name: String,
    /// training batches before
    pub batches: u64,
    /// its value from then on
    pub value: f64,
}
