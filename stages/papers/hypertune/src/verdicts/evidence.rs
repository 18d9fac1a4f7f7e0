//! The tables that verdicts rest on, in memory.

use std::{cell::OnceCell, collections::BTreeMap};

use kit::port::In;
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use super::{line::Line, seconds::Seconds};
use crate::{
    runs::Runs,
    tables::{
        complexity::Along,
        convergence::Area,
        trials::{Evaluated, Taken},
    },
};

/// A task as far as verdicts need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: String,
    /// The learner.
    pub learner: String,
    /// The claim about its held-out errors; `None` if the paper does not have the task.
    pub claim: Option<String>,
    /// The methods that are run on it.
    pub methods: Vec<String>,
    /// Method → the paper's held-out error.
    pub published: BTreeMap<String, f64>,
    /// The paper's figure of its convergence.
    pub figure: Option<u32>,
    /// Whether Figure 1 is measured on it.
    pub complexity: bool,
    /// Whether its size differs from the paper's.
    pub scaled_down: bool,
    /// The rivals that ran with less than the paper's settings, regardless of HyperTune's.
    pub reduced: Vec<String>,
}

/// Point on the axis, error of the subset's model, error of the whole's.
pub type Way = Vec<(f64, f64, f64)>;

/// The gathered runs.
pub const RUNS: In<Evaluated> = In::new("runs");
/// What they took.
pub const TAKEN: In<Taken> = In::new("times");
/// HyperTune's lead over GP-EI.
pub const AREAS: In<Area> = In::new("areas");
/// Figure 1.
pub const COMPLEXITY: In<Along> = In::new("complexity");

/// The subset searches.
pub const SUBSETS: In<Evaluated> = In::new("subsets");

/// All evidence for the verdicts.
#[derive(Default)]
pub struct Evidence {
    /// The requested tasks.
    pub places: Vec<Place>,
    /// The runs.
    pub runs: Runs,
    /// Task → what they took.
    pub times: BTreeMap<String, Seconds>,
    /// (task, axis) → HyperTune's lead over GP-EI in each repeat, and the share of the curve on which it is
    /// not behind.
    pub areas: BTreeMap<(String, String), Vec<(f64, f64)>>,
    /// Task → repeat → errors along the line.
    pub ways: BTreeMap<String, BTreeMap<u32, Way>>,
    /// (task, repeat) → the lowest validation error of each subset search.
    pub searches: BTreeMap<(String, u32), Vec<f64>>,
    /// What Figure 1 comes to, measured once: simulations are made around it.
    pub lines: OnceCell<Vec<Line>>,
}

impl Evidence {
    /// The requested tasks, and no table yet.
    #[must_use]
    pub fn new(places: &[Place]) -> Self {
        Self { places: places.to_vec(), ..Self::default() }
    }

    /// Reads the stage's inputs; unavailable ones are empty.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(cx: &Context, places: &[Place]) -> Result<Self, Stop> {
        let mut evidence = Self {
            runs: RUNS.read_if_there(cx)?.unwrap_or_default().into(),
            times: Seconds::by_task(TAKEN.read_if_there(cx)?.unwrap_or_default()),
            ..Self::new(places)
        };
        for row in AREAS.read_if_there(cx)?.unwrap_or_default() {
            if row.method == crate::runs::HYPERTUNE {
                let key = (row.task, row.axis.into_owned());
                evidence.areas.entry(key).or_default().push((row.area, row.ahead));
            }
        }
        evidence.walk(COMPLEXITY.read_if_there(cx)?.unwrap_or_default());
        evidence.search(SUBSETS.read_if_there(cx)?.unwrap_or_default());
        Ok(evidence)
    }

    fn search(&mut self, rows: Vec<Evaluated>) {
        let mut lowest: BTreeMap<(String, u32), BTreeMap<String, f64>> = BTreeMap::new();
        for Evaluated { label, entry, .. } in rows {
            let searches = lowest.entry((label.task, label.repeat)).or_default();
            let own = searches.entry(label.method).or_insert(f64::INFINITY);
            *own = own.min(entry.validation);
        }
        let all = lowest.into_iter().map(|(at, own)| (at, own.into_values().collect()));
        self.searches = all.collect();
    }

    fn walk(&mut self, rows: Vec<Along>) {
        let mut points: BTreeMap<(String, u32), BTreeMap<u64, [f64; 3]>> = BTreeMap::new();
        for row in rows {
            let (way, place) = (points.entry((row.task, row.repeat)).or_default(), row.complexity);
            // Points are not negative, so that their bits have the same order.
            let point = way.entry(place.to_bits()).or_insert([place, f64::NAN, f64::NAN]);
            point[if row.size == "whole" { 2 } else { 1 }] = row.validation;
        }
        for ((task, repeat), way) in points {
            let way =
                way.into_values().map(|[place, small, whole]| (place, small, whole)).collect();
            self.ways.entry(task).or_default().insert(repeat, way);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trials::{Entry, Label};

    #[test]
    fn each_subset_search_counts_by_its_lowest_error() {
        let row = |task: &str, repeat, method: &str, validation| {
            let (learner, data) = ("l".to_owned(), "d".to_owned());
            let (task, method) = (task.to_owned(), method.to_owned());
            let label = Label { task, learner, data, method, repeat };
            Evaluated { label, evaluation: 0, entry: Entry { validation, ..Entry::default() } }
        };
        let mut evidence = Evidence::new(&[]);
        evidence.search(vec![
            row("a", 0, "subset=0", 0.5),
            row("a", 0, "subset=0", 0.3),
            row("a", 0, "subset=1", 0.4),
            row("a", 1, "subset=0", 0.2),
            row("b", 0, "subset=0", 0.1),
        ]);
        let of = |task: &str, repeat| &evidence.searches[&(task.to_owned(), repeat)];
        assert_eq!((of("a", 0), of("a", 1), of("b", 0)), (&vec![0.3, 0.4], &vec![0.2], &vec![0.1]));
    }
}
