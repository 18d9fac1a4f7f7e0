//! Tables 1 to 4: the result of each method on each task, next to the paper's numbers, and the results of
//! other settings of HyperTune.

use std::collections::BTreeMap;

use kit::{
    cell::NanIsNull,
    port::{In, Out},
    row::Row,
};
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::{mean, variance};

use crate::{
    runs::{HYPERTUNE, Runs, reported},
    tables::{convergence::TaskName, trials::Evaluated},
    trials::Entry,
};

/// Reads the gathered runs.
#[derive(Serialize, Deserialize)]
pub struct Standings {
    /// Task → method → the paper's held-out error.
    pub published: BTreeMap<String, BTreeMap<String, f64>>,
}

/// The result of a method on a task.
#[derive(Row)]
pub struct Standing {
    #[row(flatten)]
    task: TaskName,
    /// tuner
    method: String,
    /// repeats that report something
    repeats: usize,
    /// mean error on the held-out part
    #[row(with = NanIsNull)]
    held_out: f64,
    /// its standard error
    #[row(with = NanIsNull)]
    held_out_se: f64,
    /// mean error on the validation part
    #[row(with = NanIsNull)]
    validation: f64,
    /// its standard error
    #[row(with = NanIsNull)]
    validation_se: f64,
    /// mean work until what is reported, over HyperTune's
    #[row(with = NanIsNull)]
    work: f64,
    /// mean evaluations of a run
    #[row(with = NanIsNull)]
    evaluations: f64,
    /// the paper's held-out error
    published: Option<f64>,
}

impl Standings {
    /// The gathered runs.
    pub const RUNS: In<Evaluated> = In::new("runs");
    /// The results of each method.
    pub const MAIN: Out<Standing> = Out::table("main");
}

/// Mean and standard error.
fn with_error(values: &[f64]) -> (f64, f64) {
    (mean(values), (variance(values) / values.len() as f64).sqrt())
}

impl Stage for Standings {
    const KIND: &'static str = "hypertune/standings";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::RUNS.read(cx)?);
        let mut rows = Vec::new();
        for (name, methods) in &runs.0 {
            let work = |method: &str| {
                mean(&reported(methods, method).iter().map(|e| e.work).collect::<Vec<_>>())
            };
            let budget = work(HYPERTUNE);
            for (method, repeats) in methods {
                let chosen = reported(methods, method);
                let of = |f: fn(&Entry) -> f64| {
                    with_error(&chosen.iter().map(|e| f(e)).collect::<Vec<_>>())
                };
                let counts: Vec<f64> =
                    repeats.values().map(|run| run.entries.len() as f64).collect();
                let (held_out, held_out_se) = of(|e| e.held_out.unwrap_or(1.0));
                let (validation, validation_se) = of(|e| e.validation);
                rows.push(Standing {
                    task: name.clone(),
                    method: method.clone(),
                    repeats: chosen.len(),
                    held_out,
                    held_out_se,
                    validation,
                    validation_se,
                    work: work(method) / budget,
                    evaluations: mean(&counts),
                    published: self.published.get(&name.task).and_then(|m| m.get(method)).copied(),
                });
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}
