//! An external optimiser on one task, for a few runs: every evaluation with its cost and the regret so far, and how
//! long its answers took.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use external::{Optimiser, optimiser::Settings};
use kit::{data_sets::benchmark_table, port::Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::tuner::{Suggestion, Trial, Tuner};

use super::{program::Program, tables::Waited};
use crate::{
    stages::tune::{Cell, MAIN},
    task::Task,
};

/// An optimiser on a cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TuneExternal {
    /// The cell.
    pub cell: Cell,
    /// What is started.
    pub program: Program,
    /// MiB of memory that it takes.
    #[serde(skip)]
    pub memory_mib: u64,
}

/// How long answers took.
pub const WAITED: Out<Waited> = Out::measured("waited");

/// An optimiser gets so long for an answer: nobody waits for one that hangs, and on a busy machine the first takes a
/// minute.
pub(crate) const LIMIT: Duration = Duration::from_mins(20);

impl Stage for TuneExternal {
    const KIND: &'static str = "compare/external";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[MAIN.output(), WAITED.output()];

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let Some(file) = cx.files().first().cloned() else {
            return Err(Stop::Failed(format!("{} has no file", self.program.name)));
        };
        // What is not installed is known before a table is read.
        let mut command = self.program.command(root(&file), &file)?;
        let task = Task::new(benchmark_table::read(cx)?);
        let space = task.space().map_err(|e| Stop::Failed(e.to_string()))?;
        let failed = |error: external::Error| self.program.failed(&error);
        let (mut traces, mut waited) = (Vec::new(), Vec::new());
        let mut last: Option<Optimiser> = None;
        for seed in self.cell.first..self.cell.first + self.cell.runs {
            let settings = Settings {
                seed: cx.rng(&format!("ask {seed}"))?.random(),
                budget: f64::from(self.cell.evaluations),
                divisor: 1,
                limit: LIMIT,
            };
            let optimiser =
                self.program.begin(last.take(), &mut command, space.clone(), settings)?;
            let mut timed = Timed { optimiser, training: task.seconds(), waited: Duration::ZERO };
            let before = traces.len();
            self.cell.search(cx, &task, &mut timed, (&self.program.name, seed), &mut traces)?;
            let done = traces.len() - before;
            if done < self.cell.evaluations as usize {
                timed.optimiser.finish().map_err(failed)?;
                let what = format!("{} asked for {done} evaluations only", self.program.name);
                return Err(Stop::Failed(what));
            }
            let (task, tuner) = (self.cell.task.clone(), self.program.name.clone());
            waited.push(Waited { task, tuner, seed, seconds: timed.waited.as_secs_f64() });
            last = Some(timed.optimiser);
        }
        if let Some(optimiser) = last {
            optimiser.finish().map_err(failed)?;
        }
        MAIN.write(cx, &traces)?;
        WAITED.write(cx, &waited)
    }
}

/// The checkout of an adapter's file, which lies three folders below it.
pub(crate) fn root(file: &Path) -> &Path {
    file.ancestors().nth(4).unwrap_or(file)
}

/// An optimiser with the time that its answers take. It is told costs in mean trainings of the table, as the protocol
/// has full evaluations.
struct Timed {
    optimiser: Optimiser,
    training: f64,
    waited: Duration,
}

impl Timed {
    fn timed<T>(&mut self, answer: impl FnOnce(&mut Optimiser) -> T) -> T {
        let clock = Instant::now();
        let answer = answer(&mut self.optimiser);
        self.waited += clock.elapsed();
        answer
    }
}

impl Tuner for Timed {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        self.timed(|optimiser| optimiser.ask(rng))
    }

    fn spent(&mut self, id: u64, cost: f64) {
        self.optimiser.spent(id, cost / self.training);
    }

    fn tell(&mut self, trial: Trial) {
        self.timed(|optimiser| optimiser.tell(trial));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::adapters::{ADAPTERS, FOLDER};

    #[test]
    fn the_checkout_of_an_adapter_is_found() {
        let root = Path::new("/some/where");
        for adapter in ADAPTERS {
            let file = root.join(&adapter.files()[0]);
            assert_eq!(super::root(&file), root, "{FOLDER}");
        }
    }
}
