//! The gathered runs, in memory.

use std::collections::BTreeMap;

use crate::{
    tables::{convergence::TaskName, trials::Evaluated},
    trials::{Entry, Trials},
};

/// HyperTune with the settings of the config.
pub const HYPERTUNE: &str = "hypertune";
/// GP-EI.
pub const EI: &str = "ei";

/// Method → repeat → run.
pub type Methods = BTreeMap<String, BTreeMap<u32, Trials>>;

/// All runs by task.
#[derive(Clone, Debug, Default)]
pub struct Runs(pub BTreeMap<TaskName, Methods>);

impl From<Vec<Evaluated>> for Runs {
    /// The runs of a gathered table.
    fn from(rows: Vec<Evaluated>) -> Self {
        let mut runs = Self::default();
        // Gathered tables keep the rows of a run in order.
        for Evaluated { label, entry, .. } in rows {
            let name = TaskName { task: label.task, learner: label.learner, data: label.data };
            let methods = runs.0.entry(name).or_default();
            let run = methods.entry(label.method).or_default().entry(label.repeat).or_default();
            run.entries.push(entry);
        }
        runs
    }
}

impl Runs {
    /// The methods of a task.
    #[must_use]
    pub fn of(&self, task: &str) -> Option<&Methods> {
        self.0.iter().find(|(name, _)| name.task == task).map(|(_, methods)| methods)
    }
}

/// The reported result of each repeat of a method, in the order of repeats.
#[must_use]
pub fn reported<'a>(methods: &'a Methods, method: &str) -> Vec<&'a Entry> {
    let repeats = methods.get(method).into_iter().flat_map(BTreeMap::values);
    repeats.filter_map(|run| run.entries.iter().find(|e| e.chosen)).collect()
}

/// Held-out errors of the reported configurations of a method; 1 if a run has no result.
#[must_use]
pub fn held_out(methods: &Methods, method: &str) -> Vec<f64> {
    reported(methods, method).iter().map(|e| e.held_out.unwrap_or(1.0)).collect()
}
