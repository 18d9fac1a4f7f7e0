//! The gathered runs, in memory.

use std::collections::BTreeMap;

use pipeline::stage::{Context, Stop};

use crate::trials::{self, Entry, Trials};

/// HyperTune with the settings of the config.
pub const HYPERTUNE: &str = "hypertune";
/// GP-EI.
pub const EI: &str = "ei";

/// A learner on a data set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The task's name.
    pub task: String,
    /// The learner.
    pub learner: String,
    /// The data set.
    pub data: String,
}

/// Method → repeat → run.
pub type Methods = BTreeMap<String, BTreeMap<u32, Trials>>;

/// All runs by task.
#[derive(Clone, Debug, Default)]
pub struct Runs(pub BTreeMap<Place, Methods>);

impl Runs {
    /// Reads a gathered table of runs.
    ///
    /// # Errors
    /// When it is corrupt or lacks a column.
    pub fn read(cx: &Context, role: &str) -> Result<Self, Stop> {
        let mut runs = Self::default();
        // Gathered tables keep the rows of a run in order.
        for (label, _, entry) in trials::read(&cx.input(role)?)? {
            let place = Place { task: label.task, learner: label.learner, data: label.data };
            let methods = runs.0.entry(place).or_default();
            let run = methods.entry(label.method).or_default().entry(label.repeat).or_default();
            run.entries.push(entry);
        }
        Ok(runs)
    }

    /// The methods of a task.
    #[must_use]
    pub fn of(&self, task: &str) -> Option<&Methods> {
        self.0.iter().find(|(place, _)| place.task == task).map(|(_, methods)| methods)
    }
}

/// What each repeat of a method reports, in the order of repeats.
#[must_use]
pub fn reported<'a>(methods: &'a Methods, method: &str) -> Vec<&'a Entry> {
    let repeats = methods.get(method).into_iter().flat_map(BTreeMap::values);
    repeats.filter_map(|run| run.entries.iter().find(|e| e.chosen)).collect()
}

/// Held-out errors of what a method reports; 1 where nothing came of a run.
#[must_use]
pub fn held_out(methods: &Methods, method: &str) -> Vec<f64> {
    reported(methods, method).iter().map(|e| e.held_out.unwrap_or(1.0)).collect()
}
