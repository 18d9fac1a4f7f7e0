//! What the runs of the optimisers ended with.

use kit::row::Row;

use super::label::Label;

/// The final result of one run. Metrics that were not measured are not a number; a run without any finite result has
/// the lowest scores.
#[derive(Row, Clone, Debug)]
pub struct Ended {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// repeat, from 0
    pub repeat: u32,
    /// score where configurations are compared
    pub selection: f64,
    /// the same score on the test part
    pub score: f64,
    /// on the test part
    pub accuracy: f64,
    /// on the test part
    pub f1: f64,
    /// recall on the test part
    pub pd: f64,
    /// false alarm rate on the test part
    pub pf: f64,
    /// on the test part
    pub precision: f64,
    /// every test row was given the same class
    pub constant: bool,
}
