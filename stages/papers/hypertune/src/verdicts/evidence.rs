//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::table::Rows;
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use crate::runs::Runs;

/// A task as far as verdicts need to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: String,
    /// The learner.
    pub learner: String,
    /// The claim about its held-out errors; none if the paper does not have the task.
    pub claim: Option<String>,
    /// Methods that it is run with.
    pub methods: Vec<String>,
    /// Method → the paper's held-out error.
    pub published: BTreeMap<String, f64>,
    /// The paper's figure of its convergence.
    pub figure: Option<u32>,
    /// Whether Figure 1 is measured on it.
    pub complexity: bool,
    /// Of another size than the paper's.
    pub scaled_down: bool,
    /// The rivals that ran with less than the paper's settings, whatever HyperTune did.
    pub reduced: Vec<String>,
}

/// Place on the axis, error of the subset's model, error of the whole's.
pub type Way = Vec<(f64, f64, f64)>;

/// Everything the verdicts look at.
pub struct Evidence {
    /// The tasks asked for.
    pub places: Vec<Place>,
    /// The runs.
    pub runs: Runs,
    /// (task, axis) → HyperTune's lead over GP-EI in each repeat, and the share of the way at which it
    /// is not behind.
    pub areas: BTreeMap<(String, String), Vec<(f64, f64)>>,
    /// Task → repeats.
    pub ways: BTreeMap<String, Vec<Way>>,
}

impl Evidence {
    /// Reads the stage's inputs; what is unavailable is simply empty.
    ///
    /// # Errors
    /// When a table is corrupt or lacks a column.
    pub fn read(cx: &Context, places: &[Place]) -> Result<Self, Stop> {
        let has = |what: &str| cx.roles().any(|r| r == what);
        let runs = if has("runs") { Runs::read(cx, "runs")? } else { Runs::default() };
        let (areas, ways) = (BTreeMap::new(), BTreeMap::new());
        let mut evidence = Self { places: places.to_vec(), runs, areas, ways };
        if has("areas") {
            evidence.read_areas(cx)?;
        }
        if has("complexity") {
            evidence.read_ways(cx)?;
        }
        Ok(evidence)
    }

    fn read_areas(&mut self, cx: &Context) -> Result<(), Stop> {
        let table = cx.input("areas")?;
        let rows = Rows(&table);
        let (task, axis, method) = (rows.text("task")?, rows.text("axis")?, rows.text("method")?);
        let (area, ahead) = (rows.real("area")?, rows.real("ahead")?);
        for i in (0..rows.len()).filter(|&i| method[i] == crate::runs::HYPERTUNE) {
            let key = (task[i].clone(), axis[i].clone());
            self.areas.entry(key).or_default().push((area[i], ahead[i]));
        }
        Ok(())
    }

    fn read_ways(&mut self, cx: &Context) -> Result<(), Stop> {
        let table = cx.input("complexity")?;
        let rows = Rows(&table);
        let (task, size, repeat) = (rows.text("task")?, rows.text("size")?, rows.index("repeat")?);
        let (place, error) = (rows.real("complexity")?, rows.real("validation")?);
        let mut points: BTreeMap<(String, u32), BTreeMap<u64, [f64; 3]>> = BTreeMap::new();
        for i in 0..rows.len() {
            let way = points.entry((task[i].clone(), repeat[i])).or_default();
            // Places are not negative: their bits have their order.
            let point = way.entry(place[i].to_bits()).or_insert([place[i], f64::NAN, f64::NAN]);
            point[if size[i] == "whole" { 2 } else { 1 }] = error[i];
        }
        for ((task, _), way) in points {
            let way =
                way.into_values().map(|[place, small, whole]| (place, small, whole)).collect();
            self.ways.entry(task).or_default().push(way);
        }
        Ok(())
    }
}
