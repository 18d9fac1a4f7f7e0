//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::port::In;
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use super::seconds::Seconds;
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

/// All evidence for the verdicts.
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
    /// Task → repeats.
    pub ways: BTreeMap<String, Vec<Way>>,
}

impl Evidence {
    /// Reads the stage's inputs; unavailable ones are empty.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(cx: &Context, places: &[Place]) -> Result<Self, Stop> {
        let runs = RUNS.read_if_there(cx)?.unwrap_or_default().into();
        let times = Seconds::by_task(TAKEN.read_if_there(cx)?.unwrap_or_default());
        let (areas, ways) = (BTreeMap::new(), BTreeMap::new());
        let mut evidence = Self { places: places.to_vec(), runs, times, areas, ways };
        for row in AREAS.read_if_there(cx)?.unwrap_or_default() {
            if row.method == crate::runs::HYPERTUNE {
                let key = (row.task, row.axis.into_owned());
                evidence.areas.entry(key).or_default().push((row.area, row.ahead));
            }
        }
        evidence.walk(COMPLEXITY.read_if_there(cx)?.unwrap_or_default());
        Ok(evidence)
    }

    fn walk(&mut self, rows: Vec<Along>) {
        let mut points: BTreeMap<(String, u32), BTreeMap<u64, [f64; 3]>> = BTreeMap::new();
        for row in rows {
            let (way, place) = (points.entry((row.task, row.repeat)).or_default(), row.complexity);
            // Points are not negative, so that their bits have the same order.
            let point = way.entry(place.to_bits()).or_insert([place, f64::NAN, f64::NAN]);
            point[if row.size == "whole" { 2 } else { 1 }] = row.validation;
        }
        for ((task, _), way) in points {
            let way =
                way.into_values().map(|[place, small, whole]| (place, small, whole)).collect();
            self.ways.entry(task).or_default().push(way);
        }
    }
}
