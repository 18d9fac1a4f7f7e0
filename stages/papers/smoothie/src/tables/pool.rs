//! Random configurations, each both probed and trained in full.

use kit::row::Row;

use super::label::Label;

/// One configuration.
#[derive(Row, Clone, Debug)]
pub struct Tried {
    /// What it is about.
    #[row(flatten)]
    pub label: Label,
    /// repeat, from 0
    pub repeat: u32,
    /// number of the configuration
    pub number: u32,
    /// the configuration
    pub config: String,
    /// smoothness by the paper's formula
    pub theorem: Option<f64>,
    /// smoothness by the code's formula
    pub code: Option<f64>,
    /// smoothness by finite differences
    pub numeric: Option<f64>,
    /// score where configurations are compared
    pub selection: Option<f64>,
    /// score on the test part
    pub score: Option<f64>,
    /// every test row was given the same class
    pub constant: bool,
}
