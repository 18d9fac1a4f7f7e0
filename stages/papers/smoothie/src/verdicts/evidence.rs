//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::{claims::finding::Finding, table::Rows};
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    pools::Pools,
    protocol::Formula,
    results::{Chosen, Runs},
};

/// A task as far as verdicts need to know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: String,
    /// Its family.
    pub family: String,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// Whether it is of software engineering.
    pub software: bool,
    /// The outcome in the paper, where its table names one: `win`, `tie` or `loss`.
    pub published: Option<String>,
    /// Of another size than the paper's.
    pub scaled_down: bool,
}

/// SMOOTHIE against the best of the others on one task.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `win`, `tie` or `loss`.
    pub word: String,
    /// SMOOTHIE's learner.
    pub learner: String,
    /// The best of the others.
    pub rival: String,
    /// Whether all treatments share the first rank.
    pub all_tie: bool,
}

/// Seconds of one run.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// CPU seconds of probes.
    pub probe: f64,
    /// CPU seconds in all.
    pub total: f64,
}

/// One cell of Figure 8: (learner, N1, N2, rule) → scores of the pools.
pub type Cells = BTreeMap<(String, u32, u32, String), Vec<f64>>;

/// Theorem → (bound, exact, ridge) of each case.
pub type Bounds = BTreeMap<String, Vec<[f64; 3]>>;

/// Everything the verdicts look at, under one protocol.
pub struct Evidence {
    /// The tasks asked for.
    pub places: Vec<Place>,
    /// The formula that guides.
    pub formula: Formula,
    /// By task.
    pub outcomes: BTreeMap<String, Outcome>,
    /// The runs.
    pub runs: Runs,
    /// The pools.
    pub pools: Pools,
    /// (task, method, learner) → seconds of each repeat.
    pub seconds: BTreeMap<(String, String, String), Vec<Seconds>>,
    /// By task.
    pub sensitivity: BTreeMap<String, Cells>,
    /// What the theorems bound.
    pub bounds: Bounds,
    /// Task → (curvature before, after) of each repeat.
    pub curvatures: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Evidence {
    /// Reads the stage's inputs; what is unavailable is simply empty.
    ///
    /// # Errors
    /// When a table is corrupt or lacks a column.
    pub fn read(
        cx: &Context,
        places: &[Place],
        protocol: &str,
        formula: Formula,
    ) -> Result<Self, Stop> {
        let has = |what: &str| cx.roles().any(|r| r == what);
        let role = |what: &str| format!("{what} {protocol}");
        let runs =
            if has(&role("runs")) { Runs::read(cx, &role("runs"))? } else { Runs::default() };
        let pools =
            if has(&role("pools")) { Pools::read(cx, &role("pools"))? } else { Pools::default() };
        let mut evidence = Self {
            places: places.to_vec(),
            formula,
            outcomes: BTreeMap::new(),
            runs,
            pools,
            seconds: BTreeMap::new(),
            sensitivity: BTreeMap::new(),
            bounds: BTreeMap::new(),
            curvatures: BTreeMap::new(),
        };
        if has(&role("outcomes")) && has(&role("standings")) {
            evidence.read_outcomes(cx, &role("outcomes"), &role("standings"))?;
        }
        if has(&role("times")) {
            evidence.read_seconds(cx, &role("times"))?;
        }
        if has(&role("sensitivity")) {
            evidence.read_sensitivity(cx, &role("sensitivity"))?;
        }
        if has("bounds") {
            evidence.read_bounds(cx)?;
        }
        if has("landscape") {
            evidence.read_landscape(cx)?;
        }
        Ok(evidence)
    }

    fn read_outcomes(&mut self, cx: &Context, outcomes: &str, standings: &str) -> Result<(), Stop> {
        let table = cx.input(standings)?;
        let rows = Rows(&table);
        let mut all_tie: BTreeMap<String, bool> = BTreeMap::new();
        for (task, first) in rows.text("task")?.into_iter().zip(rows.flag("first")?) {
            *all_tie.entry(task).or_insert(true) &= first;
        }
        let table = cx.input(outcomes)?;
        let rows = Rows(&table);
        let (word, learner, rival) =
            (rows.text("outcome")?, rows.text("learner")?, rows.text("rival")?);
        for (i, task) in rows.text("task")?.into_iter().enumerate() {
            let all_tie = all_tie.get(&task).copied().unwrap_or(false);
            let (word, learner, rival) = (word[i].clone(), learner[i].clone(), rival[i].clone());
            self.outcomes.insert(task, Outcome { word, learner, rival, all_tie });
        }
        Ok(())
    }

    fn read_seconds(&mut self, cx: &Context, role: &str) -> Result<(), Stop> {
        let table = cx.input(role)?;
        let rows = Rows(&table);
        let (task, method, learner) =
            (rows.text("task")?, rows.text("method")?, rows.text("learner")?);
        let (tuner, probe, train) =
            (rows.real("tuner_s")?, rows.real("probe_s")?, rows.real("train_s")?);
        for i in 0..rows.len() {
            let key = (task[i].clone(), method[i].clone(), learner[i].clone());
            let total = tuner[i] + probe[i] + train[i];
            self.seconds.entry(key).or_default().push(Seconds { probe: probe[i], total });
        }
        Ok(())
    }

    fn read_sensitivity(&mut self, cx: &Context, role: &str) -> Result<(), Stop> {
        let table = cx.input(role)?;
        let rows = Rows(&table);
        let (task, learner, rule) = (rows.text("task")?, rows.text("learner")?, rows.text("rule")?);
        let (n1, n2, score) = (rows.index("n1")?, rows.index("n2")?, rows.real("score")?);
        for i in 0..rows.len() {
            let cell = (learner[i].clone(), n1[i], n2[i], rule[i].clone());
            let cells = self.sensitivity.entry(task[i].clone()).or_default();
            cells.entry(cell).or_default().push(score[i]);
        }
        Ok(())
    }

    fn read_bounds(&mut self, cx: &Context) -> Result<(), Stop> {
        let table = cx.input("bounds")?;
        let rows = Rows(&table);
        let (bound, exact, ridge) = (rows.real("bound")?, rows.real("exact")?, rows.real("ridge")?);
        for (i, theorem) in rows.text("theorem")?.into_iter().enumerate() {
            self.bounds.entry(theorem).or_default().push([bound[i], exact[i], ridge[i]]);
        }
        Ok(())
    }

    fn read_landscape(&mut self, cx: &Context) -> Result<(), Stop> {
        let table = cx.input("landscape")?;
        let rows = Rows(&table);
        let (repeat, tuned, curvature) =
            (rows.index("repeat")?, rows.flag("tuned")?, rows.real("curvature")?);
        let mut pairs: BTreeMap<(String, u32), [Option<f64>; 2]> = BTreeMap::new();
        for (i, task) in rows.text("task")?.into_iter().enumerate() {
            pairs.entry((task, repeat[i])).or_default()[usize::from(tuned[i])] = Some(curvature[i]);
        }
        for ((task, _), pair) in pairs {
            if let [Some(before), Some(after)] = pair {
                self.curvatures.entry(task).or_default().push((before, after));
            }
        }
        Ok(())
    }

    /// The tasks of a family.
    pub fn family<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'a Place> {
        self.places.iter().filter(move |p| p.family == family)
    }

    /// What SMOOTHIE (with the learner it is represented by) and another chose, repeat by repeat.
    #[must_use]
    pub fn pair(&self, task: &str, rival: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let learner = &self.outcomes.get(task)?.learner;
        let all = self.runs.compared(task, learner);
        let scores = |list: &Vec<Chosen>| list.iter().map(|c| c.score).collect::<Vec<_>>();
        let own = all.get(&("smoothie".to_owned(), learner.clone()))?;
        let other = all.iter().find(|((method, _), _)| method == rival)?.1;
        Some((scores(own), scores(other)))
    }
}

/// A task whose data cannot be had.
#[must_use]
pub fn absent(place: &Place) -> Finding {
    let why = "its data cannot be had";
    Finding::missing(&place.task, why).in_paper(place.in_paper)
}
