//! CPU seconds of the runs of a task: what the paper's budget counts.

use std::collections::BTreeMap;

use stats::moments::mean;

use crate::{runs::HYPERTUNE, tables::trials::Taken};

/// The names of HyperTune's subset searches begin so.
const SUBSET: &str = "subset=";

/// Repeat → method → CPU seconds of trainings and of the method itself; HyperTune's with its subset searches.
#[derive(Clone, Debug, Default)]
pub struct Seconds(BTreeMap<u32, BTreeMap<String, f64>>);

impl Seconds {
    /// Those of each task.
    #[must_use]
    pub fn by_task(rows: Vec<Taken>) -> BTreeMap<String, Self> {
        let mut all: BTreeMap<String, Self> = BTreeMap::new();
        for Taken { label, times } in rows {
            let seconds = times.tuner_s + times.train_s;
            all.entry(label.task).or_default().add(&label.method, label.repeat, seconds);
        }
        all
    }

    /// Adds a run.
    pub fn add(&mut self, method: &str, repeat: u32, seconds: f64) {
        let method = if method.starts_with(SUBSET) { HYPERTUNE } else { method };
        *self.0.entry(repeat).or_default().entry(method.to_owned()).or_default() += seconds;
    }

    /// The time of a method as a multiple of HyperTune's whole run, on average over repeats; 0 without one. HyperTune's
    /// includes what it evaluates after it has converged, so that a ratio of 1 is more than the paper's budget.
    #[must_use]
    pub fn ratio(&self, method: &str) -> f64 {
        let ratio = |run: &BTreeMap<String, f64>| Some(run.get(method)? / run.get(HYPERTUNE)?);
        let ratios: Vec<f64> = self.0.values().filter_map(ratio).collect();
        if ratios.is_empty() { 0.0 } else { mean(&ratios) }
    }
}
