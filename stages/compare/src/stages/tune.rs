//! One tuner on one task, for a few runs: every evaluation with its cost and the regret so far, and what the tuner
//! itself took.

use std::marker::PhantomData;

use driver::{Search, Told};
use kit::{data_sets::benchmark_table, port::Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use tuners::tuner::{Fidelity, Tuner};

use crate::{
    arm::Arm,
    tables::{Overhead, Trace},
    task::Task,
};

/// A cell of the comparison: a task, and some of its runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Family of the task.
    pub family: String,
    /// The task.
    pub task: String,
    /// Evaluations of a run.
    pub evaluations: u32,
    /// The first run.
    pub first: u32,
    /// Number of runs.
    pub runs: u32,
}

/// A tuner on a cell.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Tune<A> {
    /// The cell.
    pub cell: Cell,
    /// The tuner that the stage kind runs.
    #[serde(skip)]
    arm: PhantomData<fn() -> A>,
}

/// Every evaluation.
pub const MAIN: Out<Trace> = Out::table("main");
/// What the tuner took.
pub const OVERHEAD: Out<Overhead> = Out::measured("overhead");

impl<A: Arm> Tune<A> {
    /// The stage of a cell.
    #[must_use]
    pub fn new(cell: Cell) -> Self {
        Self { cell, arm: PhantomData }
    }
}

impl<A: Arm> Stage for Tune<A> {
    const KIND: &'static str = A::KIND;
    const MODULE: &'static str = A::MODULE;
    const OUTPUTS: &'static [Output] = &[MAIN.output(), OVERHEAD.output()];

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let task = Task::new(benchmark_table::read(cx)?);
        let space = task.space().map_err(Stop::failed)?;
        let (mut traces, mut overheads) = (Vec::new(), Vec::new());
        for seed in self.cell.first..self.cell.first + self.cell.runs {
            let mut tuner = A::tuner(space.clone()).map_err(Stop::failed)?;
            let run = (A::NAME, seed);
            let cpu = self.cell.search(cx, &task, tuner.as_mut(), run, &mut traces)?;
            let (task, tuner) = (self.cell.task.clone(), A::NAME.to_owned());
            overheads.push(Overhead { task, tuner, seed, cpu });
        }
        MAIN.write(cx, &traces)?;
        OVERHEAD.write(cx, &overheads)
    }
}

impl Cell {
    /// One run of the tuner of this name, until the evaluations are used up or it has nothing more to ask; the CPU
    /// seconds that this process took for the tuner. Runs of the same number have the same random numbers, whatever
    /// the tuner, and however runs are grouped.
    ///
    /// # Errors
    /// If the tuner asks for what is not in the table.
    pub fn search(
        &self,
        cx: &Context,
        task: &Task,
        tuner: &mut dyn Tuner,
        (name, seed): (&str, u32),
        traces: &mut Vec<Trace>,
    ) -> Result<f64, Stop> {
        let mut asking = cx.rng(&format!("ask {seed}"))?;
        let mut looking = cx.rng(&format!("look up {seed}"))?;
        let (mut evaluation, mut cost) = (0, 0.0);
        // The lowest loss looked up so far, and its configuration.
        let mut best: Option<(f64, usize)> = None;
        let mut search = Search::new(tuner, &mut asking);
        search.run(self.evaluations as usize, |suggestion, _| {
            // Tables of whole trainings have no other fidelity.
            let full = suggestion.fidelity == Fidelity::FULL;
            let number = task.number(&suggestion.config).filter(|_| full);
            let number = number.ok_or_else(|| {
                Stop::Failed(format!("{name} asked for what is not in the table: {suggestion:?}"))
            })?;
            let training = task.look_up(number, &mut looking);
            cost += training.seconds;
            evaluation += 1;
            if best.is_none_or(|(loss, _)| training.loss < loss) {
                best = Some((training.loss, number));
            }
            let (lowest, chosen) = best.unwrap_or((training.loss, number));
            traces.push(Trace {
                family: self.family.clone(),
                task: self.task.clone(),
                tuner: name.to_owned(),
                seed,
                evaluation,
                configuration: number as u32,
                cost,
                trainings: cost / task.seconds(),
                loss: training.loss,
                best: lowest,
                regret: task.regret(chosen),
                normalised: task.normalised(chosen),
            });
            Ok(Some(Told::from(training.loss).spent(training.seconds)))
        })?;
        Ok(search.took().cpu_s)
    }
}
