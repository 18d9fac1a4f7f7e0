//! One search on one small subset of the training rows (\[Joy2019\] Algorithm 1, line 4).

use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::bayesian::directed::{Directed, DirectedSettings};

use crate::{
    task::{Run, Task, fail},
    trials,
};

/// The search.
#[derive(Serialize, Deserialize)]
pub struct Subset {
    /// The task.
    pub task: Task,
    /// The subset is 1/divisor of the training rows.
    pub divisor: u64,
    /// Number of evaluations.
    pub evaluations: usize,
    /// The search.
    pub search: DirectedSettings,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for Subset {
    const KIND: &'static str = "hypertune/subset";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = trials::OUTPUTS;

    fn needs(&self) -> Needs {
        self.task.needs(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let trials = {
            let mut run = Run::new(&self.task, cx, 0.0)?;
            let rows = run.evaluator.subset(self.divisor, &mut cx.rng("subset")?);
            let mut tuner = Directed::new(run.space.clone(), self.search).map_err(fail)?;
            let mut rng = cx.rng("ask")?;
            run.search(&mut tuner, &mut rng, self.evaluations, |run, suggestion, tuner| {
                let found = run.evaluate_rows(&suggestion.config, &rows)?;
                run.enter(suggestion.config.clone(), self.divisor, found, tuner.noise());
                Ok(Some(found.validation.into()))
            })?;
            run.trials
        };
        trials.write(cx, &self.task.label)
    }
}
