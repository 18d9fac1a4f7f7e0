//! Tables 1 to 4: what each method reports on each task, beside the paper's numbers; and what other
//! settings of HyperTune come to.

use std::collections::BTreeMap;

use kit::table::Columns;
use pipeline::stage::{Context, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::{mean, variance};

use crate::{
    runs::{HYPERTUNE, Runs, reported},
    trials::Entry,
};

/// Reads the gathered runs.
#[derive(Serialize, Deserialize)]
pub struct Standings {
    /// Task → method → the paper's held-out error.
    pub published: BTreeMap<String, BTreeMap<String, f64>>,
}

struct Row {
    place: [String; 3],
    method: String,
    repeats: u32,
    held_out: (f64, f64),
    validation: (f64, f64),
    work: f64,
    evaluations: f64,
    published: Option<f64>,
}

/// Mean and standard error.
fn with_error(values: &[f64]) -> (f64, f64) {
    (mean(values), (variance(values) / values.len() as f64).sqrt())
}

impl Stage for Standings {
    const KIND: &'static str = "hypertune/standings";
    const MODULE: &'static str = module_path!();

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::read(cx, "runs")?;
        let mut rows = Vec::new();
        for (place, methods) in &runs.0 {
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
                rows.push(Row {
                    place: [place.task.clone(), place.learner.clone(), place.data.clone()],
                    method: method.clone(),
                    repeats: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
                    held_out: of(|e| e.held_out.unwrap_or(1.0)),
                    validation: of(|e| e.validation),
                    work: work(method) / budget,
                    evaluations: mean(&counts),
                    published: self.published.get(&place.task).and_then(|m| m.get(method)).copied(),
                });
            }
        }
        let known = |v: f64| Some(v).filter(|v| !v.is_nan());
        let table = Columns::new()
            .text("task", "learner on a data set", rows.iter().map(|r| &r.place[0]))
            .text("learner", "learner that was tuned", rows.iter().map(|r| &r.place[1]))
            .text("data", "data set", rows.iter().map(|r| &r.place[2]))
            .text("method", "tuner", rows.iter().map(|r| &r.method))
            .index("repeats", "repeats that report something", rows.iter().map(|r| r.repeats))
            .maybe(
                "held_out",
                "mean error on the held-out part",
                rows.iter().map(|r| known(r.held_out.0)),
            )
            .maybe("held_out_se", "its standard error", rows.iter().map(|r| known(r.held_out.1)))
            .maybe(
                "validation",
                "mean error on the validation part",
                rows.iter().map(|r| known(r.validation.0)),
            )
            .maybe(
                "validation_se",
                "its standard error",
                rows.iter().map(|r| known(r.validation.1)),
            )
            .maybe(
                "work",
                "mean work until what is reported, over HyperTune's",
                rows.iter().map(|r| known(r.work)),
            )
            .maybe(
                "evaluations",
                "mean evaluations of a run",
                rows.iter().map(|r| known(r.evaluations)),
            )
            .maybe("published", "the paper's held-out error", rows.iter().map(|r| r.published))
            .batch()?;
        Ok(cx.write("main", &table)?)
    }
}
