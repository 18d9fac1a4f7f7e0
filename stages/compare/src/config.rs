//! The config, typed and checked.

use std::collections::BTreeSet;

use pipeline::{config::Config, error::Result};
use serde::Deserialize;

use super::{
    external::config::ExternalConfig, list, multi_fidelity::config::MultiFidelityConfig,
    stages::tune::Cell,
};

/// `configs/compare.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CompareConfig {
    /// Root of all randomness.
    pub root_seed: u64,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Runs of each tuner on each task.
    pub runs: u32,
    /// Runs of one stage.
    pub runs_per_stage: u32,
    /// The tuners, by name.
    pub tuners: Vec<String>,
    /// The tasks: data sets that are tabular benchmarks.
    pub tasks: Vec<String>,
    /// Normalised regrets that are to be reached.
    pub targets: Vec<f64>,
    /// Differences of normalised regrets that do not matter.
    pub rope: f64,
    /// Sets of learning curves, which say something about searches on parts of the data.
    pub curves: Vec<String>,
    /// The parts that are looked at: at most one of so many of the data.
    pub divisors: Vec<u32>,
    /// An error on a learning curve that is larger by this much or less is no larger one.
    pub margin: f64,
    /// Resamples behind an interval.
    pub resamples: usize,
    /// Tuners that train on parts of the data first.
    pub multi_fidelity: MultiFidelityConfig,
    /// Optimisers that are programs of their own.
    pub external: ExternalConfig,
}

impl CompareConfig {
    /// Reads and checks the config.
    ///
    /// # Errors
    /// Names file, line, key and what would be accepted.
    pub fn read(config: &Config) -> Result<Self> {
        let values: Self = config.get()?;
        let least = [
            ("evaluations", values.evaluations as usize, 1),
            ("runs", values.runs as usize, 1),
            ("runs-per-stage", values.runs_per_stage as usize, 1),
            ("resamples", values.resamples, 2),
        ];
        for (key, value, least) in least {
            if value < least {
                return Err(config.invalid(key, &format!("expected at least {least}")));
            }
        }
        for (key, names) in [("tuners", &values.tuners), ("tasks", &values.tasks)] {
            let distinct: BTreeSet<&String> = names.iter().collect();
            if names.is_empty() || distinct.len() < names.len() {
                return Err(config.invalid(key, "expected one name or more, each once"));
            }
        }
        if let Some(name) = values.tuners.iter().find(|name| list::find(name).is_none()) {
            let known = list::TUNERS.map(|tuner| tuner.name).join(", ");
            return Err(config.invalid("tuners", &format!("no tuner `{name}`; there are {known}")));
        }
        let benchmark = |id: &&String| {
            let entry = data::find(id);
            entry.is_some_and(|entry| matches!(entry.loader, data::Loader::Benchmark(_)))
        };
        if let Some(id) = values.tasks.iter().find(|id| !benchmark(id)) {
            let what = format!("`{id}` is no tabular benchmark; `retune data list` shows them");
            return Err(config.invalid("tasks", &what));
        }
        let curves = |id: &&String| {
            let entry = data::find(id);
            entry.is_some_and(|entry| matches!(entry.loader, data::Loader::Curves(_)))
        };
        if let Some(id) = values.curves.iter().find(|id| !curves(id)) {
            let what =
                format!("`{id}` is no set of learning curves; `retune data list` shows them");
            return Err(config.invalid("curves", &what));
        }
        if values.divisors.contains(&0) {
            return Err(config.invalid("divisors", "expected whole numbers of at least 1"));
        }
        let share = |value: &f64| value.is_finite() && (0.0..1.0).contains(value);
        if !values.targets.iter().all(|target| share(target) && *target > 0.0) {
            return Err(config.invalid("targets", "expected numbers between 0 and 1"));
        }
        for (key, value) in [("rope", values.rope), ("margin", values.margin)] {
            if !share(&value) {
                return Err(config.invalid(key, "expected a number from 0 to below 1"));
            }
        }
        Ok(values)
    }

    /// The runs of one stage on a task: from the first on, of as many in all.
    #[must_use]
    pub fn cell(&self, task: &str, first: u32, runs: u32) -> Cell {
        Cell {
            family: family(task).to_owned(),
            task: task.to_owned(),
            evaluations: self.evaluations,
            first,
            runs: self.runs_per_stage.min(runs - first),
        }
    }
}

/// The family of a task: the first word of its id.
fn family(task: &str) -> &str {
    task.split_once('-').map_or(task, |(family, _)| family)
}

/// The name of the stage that loads a task.
pub(crate) fn data(task: &str) -> String {
    format!("compare/data/{task}")
}
