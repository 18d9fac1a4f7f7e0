//! Figures 2 and 3: what each method found and what it cost.

use kit::{
    port::{Many, Out},
    row::Row,
};
use models::neural::residual::Architecture;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    network::{
        cost,
        rows::{Taken, Tried},
    },
    tables::race::{Raced, RunName},
};

/// Number of best results shown per method.
const TOP: usize = 10;

/// One run of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The stages that have its results.
    pub told: Vec<String>,
}

/// Compares the runs.
#[derive(Serialize, Deserialize)]
pub struct Race {
    /// The runs.
    pub entries: Vec<Entry>,
    /// The network on which features are found.
    pub small: Architecture,
    /// The network that is tuned.
    pub big: Architecture,
    /// Pixels along one side of an image.
    pub size: usize,
    /// Epochs of a full training of the big network.
    pub horizon: u32,
}

/// A run with its tables.
struct Run<'a> {
    entry: &'a Entry,
    tried: Vec<Tried>,
    cpu_s: f64,
    wall_s: f64,
}

impl Entry {
    fn name(&self) -> RunName {
        RunName { method: self.method.clone(), replicate: self.replicate }
    }
}

/// The stage and role of the times of the trainings in a table of results.
#[must_use]
pub fn times_of(told: &str) -> String {
    told.replace("/told", "/times")
}

/// One of the best results of a run.
#[derive(Row)]
pub struct Ranked {
    #[row(flatten)]
    run: RunName,
    /// rank among the run's full trainings, from 1
    rank: u32,
    /// test error
    error: f64,
}

/// The time of a run.
#[derive(Row)]
pub struct RunTime {
    #[row(flatten)]
    run: RunName,
    /// CPU seconds of the trainings
    cpu_s: f64,
    /// elapsed seconds of the trainings
    wall_s: f64,
}

impl Race {
    /// The results, by the stages that have them.
    pub const TOLD: Many<Tried> = Many::new("");
    /// Their times, likewise.
    pub const TAKEN: Many<Taken> = Many::new("");
    /// The runs.
    pub const MAIN: Out<Raced> = Out::table("main");
    /// Their best results.
    pub const TOP: Out<Ranked> = Out::table("top");
    /// Their times.
    pub const TIMES: Out<RunTime> = Out::measured("times");
}

impl Stage for Race {
    const KIND: &'static str = "harmonica/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::TOP.output(), Self::TIMES.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let whole = |entry: &&Entry| entry.told.iter().all(|told| Self::TOLD.at(told).is_there(cx));
        let runs: Vec<Run> = self
            .entries
            .iter()
            .filter(whole)
            .map(|entry| Run::read(cx, entry))
            .collect::<Result<_, _>>()?;
        if runs.is_empty() {
            return Err(Stop::Unavailable("no network could be trained".to_owned()));
        }
        let small = cost::relative(&self.small, &self.big, self.size);
        let raced = runs.iter().map(|run| self.raced(run, small));
        Self::MAIN.write(cx, &raced.collect::<Vec<_>>())?;
        Self::TOP.write(cx, &runs.iter().flat_map(|run| self.top(run)).collect::<Vec<_>>())?;
        let times = runs.iter().map(|run| RunTime {
            run: run.entry.name(),
            cpu_s: run.cpu_s,
            wall_s: run.wall_s,
        });
        Self::TIMES.write(cx, &times.collect::<Vec<_>>())
    }
}

impl<'a> Run<'a> {
    fn read(cx: &Context, entry: &'a Entry) -> Result<Self, Stop> {
        let mut run = Self { entry, tried: Vec::new(), cpu_s: 0.0, wall_s: 0.0 };
        for told in &entry.told {
            run.tried.extend(Race::TOLD.at(told).read(cx)?);
            let taken = Race::TAKEN.at(times_of(told)).read(cx)?;
            run.cpu_s += taken.iter().map(|t| t.cpu_s).sum::<f64>();
            run.wall_s += taken.iter().map(|t| t.wall_s).sum::<f64>();
        }
        Ok(run)
    }
}

impl Race {
    fn is_big(&self, tried: &Tried) -> bool {
        tried.depth as usize == self.big.depth
    }

    /// Errors of the full trainings of the big network, ascending.
    fn errors(&self, run: &Run) -> Vec<f64> {
        let full = |t: &&Tried| self.is_big(t) && t.asked.epochs == self.horizon;
        let mut errors: Vec<f64> = run.tried.iter().filter(full).map(|t| t.error).collect();
        errors.sort_by(f64::total_cmp);
        errors
    }

    /// Epochs of the small network and of the big one.
    fn epochs(&self, run: &Run) -> (u32, u32) {
        let sum = |big: bool| {
            let own = run.tried.iter().filter(|t| self.is_big(t) == big);
            own.map(|t| t.asked.epochs).sum()
        };
        (sum(false), sum(true))
    }

    fn raced(&self, run: &Run, small: f64) -> Raced {
        let (errors, (own, big)) = (self.errors(run), self.epochs(run));
        Raced {
            run: run.entry.name(),
            error: errors.first().copied(),
            trainings: run.tried.len(),
            full: errors.len(),
            diverged: run.tried.iter().filter(|t| t.diverged).count(),
            small_epochs: own,
            big_epochs: big,
            cost: f64::from(own) * small + f64::from(big),
        }
    }

    fn top(&self, run: &Run) -> impl Iterator<Item = Ranked> {
        let (name, errors) = (run.entry.name(), self.errors(run));
        let ranked = (1..).zip(errors.into_iter().take(TOP));
        ranked.map(move |(rank, error)| Ranked { run: name.clone(), rank, error })
    }
}
