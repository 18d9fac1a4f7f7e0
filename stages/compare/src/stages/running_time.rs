//! How many evaluations it takes to targets of the normalised regret \[Hansen2022\].

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::running_time::{expected, hit};

use crate::{
    runs::Runs,
    tables::{Hit, Trace},
};

/// Counts evaluations to targets.
#[derive(Serialize, Deserialize)]
pub struct RunningTime {
    /// Normalised regrets.
    pub targets: Vec<f64>,
}

impl RunningTime {
    /// All runs.
    pub const TRACES: In<Trace> = In::new("traces");
    /// One row per task, tuner and target.
    pub const MAIN: Out<Hit> = Out::table("main");
}

impl Stage for RunningTime {
    const KIND: &'static str = "compare/running-time";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::TRACES.read(cx)?);
        Self::MAIN.write(cx, &hits(&runs, &self.targets))
    }
}

fn hits(all: &Runs, targets: &[f64]) -> Vec<Hit> {
    let mut rows = Vec::new();
    for ((family, task), tuners) in all.tasks() {
        for (tuner, runs) in tuners {
            let regrets = runs.iter().map(|run| run.iter().map(|step| step.normalised).collect());
            let regrets: Vec<Vec<f64>> = regrets.collect();
            for &target in targets {
                let reached = regrets.iter().filter(|run| hit(run, target).is_some()).count();
                rows.push(Hit {
                    family: family.clone(),
                    task: task.clone(),
                    tuner: tuner.clone(),
                    target,
                    reached: reached as f64 / regrets.len() as f64,
                    expected: Some(expected(&regrets, target)).filter(|time| time.is_finite()),
                });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::tests::traces;

    #[test]
    fn a_target_that_no_run_reaches_has_no_time() {
        let rows = [
            traces(["f", "1", "a"], 0, &[0.5, 0.25, 0.125]),
            traces(["f", "1", "a"], 1, &[0.75, 0.5, 0.5]),
        ];
        let found = hits(&Runs::from(rows.concat()), &[0.5, 0.25, 0.01]);
        let found: Vec<_> = found.iter().map(|hit| (hit.reached, hit.expected)).collect();
        // 1 and 2 evaluations by two runs; 2 and 3 by one of them.
        assert_eq!(found, [(1.0, Some(1.5)), (0.5, Some(5.0)), (0.0, None)]);
    }
}
