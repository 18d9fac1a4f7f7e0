//! Figures 2 and 3: what each method found and what it cost.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use models::neural::residual::Architecture;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::network::{
    cost,
    rows::{self, Tried},
};

/// The best results shown of a method.
const TOP: usize = 10;

/// One run of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The method.
    pub method: String,
    /// The replicate.
    pub replicate: u32,
    /// The roles of its tables of results; `…/times` in place of `…/told` has what they took.
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

impl Stage for Race {
    const KIND: &'static str = "harmonica/race";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("top"), Output::measured("times")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let given: BTreeSet<String> = cx.roles().map(str::to_owned).collect();
        let whole = |entry: &&Entry| entry.told.iter().all(|told| given.contains(told));
        let runs: Vec<Run> = self
            .entries
            .iter()
            .filter(whole)
            .map(|entry| Run::read(cx, entry))
            .collect::<Result<_, _>>()?;
        if runs.is_empty() {
            return Err(Stop::Unavailable("no network could be trained".to_owned()));
        }
        cx.write("main", &self.main(&runs)?)?;
        cx.write("top", &self.top(&runs)?)?;
        Ok(cx.write("times", &times(&runs)?)?)
    }
}

impl<'a> Run<'a> {
    fn read(cx: &Context, entry: &'a Entry) -> Result<Self, Stop> {
        let mut run = Self { entry, tried: Vec::new(), cpu_s: 0.0, wall_s: 0.0 };
        for told in &entry.told {
            run.tried.extend(rows::read_tried(&cx.input(told)?)?);
            let times = cx.input(&told.replace("/told", "/times"))?;
            run.cpu_s += Rows(&times).real("cpu_s")?.iter().sum::<f64>();
            run.wall_s += Rows(&times).real("wall_s")?.iter().sum::<f64>();
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

    fn main(&self, runs: &[Run]) -> Result<RecordBatch, TableError> {
        let small = cost::relative(&self.small, &self.big, self.size);
        let cost = |run: &Run| {
            let (own, big) = self.epochs(run);
            f64::from(own) * small + f64::from(big)
        };
        columns(runs.iter().map(|r| r.entry))
            .maybe(
                "error",
                "lowest test error of a full training",
                runs.iter().map(|r| self.errors(r).first().copied()),
            )
            .index("trainings", "trainings", runs.iter().map(|r| r.tried.len() as u32))
            .index(
                "full",
                "full trainings of the big network",
                runs.iter().map(|r| self.errors(r).len() as u32),
            )
            .index("diverged", "trainings that diverged", {
                let diverged = |r: &Run| r.tried.iter().filter(|t| t.diverged).count() as u32;
                runs.iter().map(diverged).collect::<Vec<_>>()
            })
            .index("small_epochs", "epochs of the small network", runs.iter().map(|r| self.epochs(r).0))
            .index("big_epochs", "epochs of the big network", runs.iter().map(|r| self.epochs(r).1))
            .real(
                "cost",
                "epochs of the big network, those of the small one by their share of its multiplications",
                runs.iter().map(cost),
            )
            .batch()
    }

    fn top(&self, runs: &[Run]) -> Result<RecordBatch, TableError> {
        let best = |run: &Run| {
            let entry = run.entry.clone();
            let errors: Vec<f64> = self.errors(run).into_iter().take(TOP).collect();
            (1..).zip(errors).map(move |(rank, error)| (entry.clone(), rank, error))
        };
        let all: Vec<(Entry, u32, f64)> = runs.iter().flat_map(best).collect();
        columns(all.iter().map(|r| &r.0))
            .index("rank", "rank among the run's full trainings, from 1", all.iter().map(|r| r.1))
            .real("error", "test error", all.iter().map(|r| r.2))
            .batch()
    }
}

fn times(runs: &[Run]) -> Result<RecordBatch, TableError> {
    columns(runs.iter().map(|r| r.entry))
        .real("cpu_s", "CPU seconds of the trainings", runs.iter().map(|r| r.cpu_s))
        .real("wall_s", "elapsed seconds of the trainings", runs.iter().map(|r| r.wall_s))
        .batch()
}

fn columns<'a>(entries: impl Iterator<Item = &'a Entry> + Clone) -> Columns {
    Columns::new().text("method", "the method", entries.clone().map(|e| &e.method)).index(
        "replicate",
        "replicate, from 0",
        entries.map(|e| e.replicate),
    )
}
