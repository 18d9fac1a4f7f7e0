//! Where the runs of each tuner ended on each task.

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{moments::mean, order::median, rank_tests::ranks::ranks};

use crate::{
    runs::{self, Run, Runs, Step, mean_of},
    tables::{Standing, Trace},
};

/// Compares the ends of runs.
#[derive(Serialize, Deserialize)]
pub struct Standings {}

impl Standings {
    /// All runs.
    pub const TRACES: In<Trace> = In::new("traces");
    /// One row per task and tuner.
    pub const MAIN: Out<Standing> = Out::table("main");
}

impl Stage for Standings {
    const KIND: &'static str = "compare/standings";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::TRACES.read(cx)?);
        Self::MAIN.write(cx, &standings(&runs))
    }
}

fn standings(all: &Runs) -> Vec<Standing> {
    let mut rows = Vec::new();
    for ((family, task), tuners) in all.tasks() {
        // A run has at least one evaluation, so there is a mean.
        let means = tuners.values().map(|runs| mean_of(runs, runs::last).unwrap_or(f64::NAN));
        let means: Vec<f64> = means.collect();
        for ((tuner, runs), rank) in tuners.iter().zip(ranks(&means).ranks) {
            let last = |value: fn(&Step) -> f64| -> Vec<f64> {
                runs.iter().filter_map(|run: &Run| run.last().map(value)).collect()
            };
            rows.push(Standing {
                family: family.clone(),
                task: task.clone(),
                tuner: tuner.clone(),
                runs: runs.len(),
                normalised: mean(&last(|step| step.normalised)),
                median: median(&last(|step| step.normalised)),
                regret: mean(&last(|step| step.regret)),
                rank,
                cost: mean(&last(|step| step.cost)),
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::tests::traces;

    #[test]
    fn the_end_of_each_run_counts() {
        let rows = [
            traces(["f", "1", "a"], 0, &[0.125, 0.25]),
            traces(["f", "1", "a"], 1, &[0.75]),
            traces(["f", "1", "b"], 0, &[0.5, 0.375]),
        ];
        let found = standings(&Runs::from(rows.concat()));
        let a = Standing {
            family: "f".to_owned(),
            task: "1".to_owned(),
            tuner: "a".to_owned(),
            runs: 2,
            normalised: 0.5,
            median: 0.5,
            regret: 2.5,
            rank: 2.0,
            cost: 15.0,
        };
        let b = Standing {
            tuner: "b".to_owned(),
            runs: 1,
            normalised: 0.375,
            median: 0.375,
            regret: 1.875,
            rank: 1.0,
            cost: 20.0,
            ..a.clone()
        };
        assert_eq!(found, [a, b]);
    }
}
