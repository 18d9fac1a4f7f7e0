//! An external optimiser on parts of the data: as our tuners, with the same recorded trainings.

use external::{Optimiser, optimiser::Settings};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand::RngExt as _;
use serde::{Deserialize, Serialize};

use super::{
    task::tasks,
    tune::{MAIN, PARTS, Rngs, Runs},
};
use crate::external::{
    program::Program,
    tune::{LIMIT, root},
};

/// An optimiser on all data sets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TuneExternalParts {
    /// Its runs.
    pub runs: Runs,
    /// What is started.
    pub program: Program,
    /// MiB of memory that it takes.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stage for TuneExternalParts {
    const KIND: &'static str = "compare/external-parts";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let name = &self.program.name;
        let Some(file) = cx.files().first().cloned() else {
            return Err(Stop::Failed(format!("{name} has no file")));
        };
        // What is not installed is known before a table is read.
        let mut command = self.program.command(root(&file), &file)?;
        let failed = |error: external::Error| self.program.failed(&error);
        let (mut choices, mut last) = (Vec::new(), None::<Optimiser>);
        for task in tasks(&PARTS.read(cx)?) {
            for run in 0..self.runs.runs {
                let mut rngs = Rngs::of(cx, &task, run)?;
                let settings = Settings {
                    seed: rngs.ask.random(),
                    budget: self.runs.most(),
                    divisor: self.runs.budgets.maximum / self.runs.budgets.minimum,
                    limit: LIMIT,
                };
                let space = task.space().map_err(Stop::failed)?;
                let mut optimiser =
                    self.program.begin(last.take(), &mut command, space, settings)?;
                let steps = self.runs.search(&task, &mut optimiser, &mut rngs)?;
                let own = self.runs.choices(&task, &steps, (name, run));
                if own.len() < self.runs.spent.len() {
                    optimiser.finish().map_err(failed)?;
                    let what = format!("{name} asked for {} trainings only", steps.len());
                    return Err(Stop::Failed(what));
                }
                choices.extend(own);
                last = Some(optimiser);
            }
        }
        if let Some(optimiser) = last {
            optimiser.finish().map_err(failed)?;
        }
        MAIN.write(cx, &choices)
    }
}
