//! What an optimiser tried, chose and spent, as tables.

use arrow_array::RecordBatch;
use kit::table::TableError;

use super::stages::label::Label;
use crate::evaluator::Scores;

/// One evaluation of a run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Repeat.
    pub repeat: u32,
    /// Number within the run, from 0 in the order of asking.
    pub number: u32,
    /// The configuration in words.
    pub config: String,
    /// Epochs trained; 0 for a probe.
    pub epochs: u32,
    /// The smoothness, for a probe.
    pub smoothness: Option<f64>,
    /// Scores on the part that configurations are compared on, and the number that counts there.
    pub selection: Option<(Scores, f64)>,
    /// Scores on the test part, and the number that counts there.
    pub test: Option<(Scores, f64)>,
    /// Whether this is what the run chose.
    pub chosen: bool,
}

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Repeat.
    pub repeat: u32,
    /// CPU seconds of the tuner itself.
    pub tuner_s: f64,
    /// CPU seconds of probes.
    pub probe_s: f64,
    /// CPU seconds of trainings and of judging them.
    pub train_s: f64,
    /// Elapsed seconds of all of it.
    pub wall_s: f64,
}

/// Collects the rows of a stage.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// Every evaluation.
    pub entries: Vec<Entry>,
    /// One row per repeat.
    pub spent: Vec<Spent>,
}

impl Trials {
    /// Every evaluation, one a row.
    ///
    /// # Errors
    /// When columns have different numbers of rows; here all are made of the same ones.
    pub fn table(&self, label: &Label) -> Result<RecordBatch, TableError> {
        let rows = &self.entries;
        let of = |pick: fn(&Entry) -> Option<f64>| rows.iter().map(pick).collect::<Vec<_>>();
        let test = |pick: fn(&Scores) -> f64| {
            rows.iter().map(move |r| r.test.map(|(s, _)| pick(&s))).collect::<Vec<_>>()
        };
        label
            .columns(rows.len())
            .index("repeat", "repeat, from 0", rows.iter().map(|r| r.repeat))
            .index("evaluation", "number within the run", rows.iter().map(|r| r.number))
            .text("config", "the configuration", rows.iter().map(|r| &r.config))
            .index("epochs", "epochs trained; 0 for a probe", rows.iter().map(|r| r.epochs))
            .maybe("smoothness", "what a probe found", of(|r| r.smoothness))
            .maybe(
                "selection",
                "score where configurations are compared",
                of(|r| r.selection.map(|s| s.1)),
            )
            .maybe("score", "the same score on the test part", of(|r| r.test.map(|s| s.1)))
            .maybe("accuracy", "on the test part", test(|s| s.accuracy))
            .maybe("f1", "on the test part", test(|s| s.f1))
            .maybe("pd", "recall on the test part", test(|s| s.pd))
            .maybe("pf", "false alarm rate on the test part", test(|s| s.pf))
            .maybe("precision", "on the test part", test(|s| s.precision))
            .flag(
                "constant",
                "every test row was given the same class",
                rows.iter().map(|r| r.test.is_some_and(|(s, _)| s.constant)),
            )
            .flag(
                "failed",
                "no finite result",
                rows.iter().map(|r| r.smoothness.is_none() && r.test.is_none()),
            )
            .flag("chosen", "what the run ended with", rows.iter().map(|r| r.chosen))
            .batch()
    }

    /// What each repeat took.
    ///
    /// # Errors
    /// When columns have different numbers of rows; here all are made of the same ones.
    pub fn times(&self, label: &Label) -> Result<RecordBatch, TableError> {
        let rows = &self.spent;
        let real = |pick: fn(&Spent) -> f64| rows.iter().map(pick).collect::<Vec<_>>();
        label
            .columns(rows.len())
            .index("repeat", "repeat, from 0", rows.iter().map(|r| r.repeat))
            .real("tuner_s", "CPU seconds of the tuner itself", real(|r| r.tuner_s))
            .real("probe_s", "CPU seconds of probes", real(|r| r.probe_s))
            .real("train_s", "CPU seconds of trainings", real(|r| r.train_s))
            .real("wall_s", "elapsed seconds of the run", real(|r| r.wall_s))
            .batch()
    }
}
