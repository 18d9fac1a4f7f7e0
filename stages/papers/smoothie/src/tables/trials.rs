//! The trials, choices and costs of an optimiser.

use kit::row::Row;

use super::label::Label;

/// One evaluation of a run.
#[derive(Row, Clone, Debug)]
pub struct Entry {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// repeat, from 0
    pub repeat: u32,
    /// number within the run
    pub evaluation: usize,
    /// the configuration
    pub config: String,
    /// epochs trained; 0 for a probe
    pub epochs: u32,
    /// what a probe found
    pub smoothness: Option<f64>,
    /// score where configurations are compared
    pub selection: Option<f64>,
    /// the same score on the test part
    pub score: Option<f64>,
    /// on the test part
    pub accuracy: Option<f64>,
    /// on the test part
    pub f1: Option<f64>,
    /// recall on the test part
    pub pd: Option<f64>,
    /// false alarm rate on the test part
    pub pf: Option<f64>,
    /// on the test part
    pub precision: Option<f64>,
    /// every test row was given the same class
    pub constant: bool,
    /// no finite result
    pub failed: bool,
    /// what the run ended with
    pub chosen: bool,
}

/// The times of one run.
#[derive(Row, Clone, Debug, Default)]
pub struct Spent {
    /// The run.
    #[row(flatten)]
    pub label: Label,
    /// repeat, from 0
    pub repeat: u32,
    /// CPU seconds of the tuner itself
    pub tuner_s: f64,
    /// CPU seconds of probes
    pub probe_s: f64,
    /// CPU seconds of trainings
    pub train_s: f64,
    /// elapsed seconds of the run
    pub wall_s: f64,
}
