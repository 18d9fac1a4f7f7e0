//! The tables that verdicts rest on, in memory.

use std::collections::BTreeMap;

use kit::{
    claims::finding::Finding,
    port::{In, Many},
};
use pipeline::stage::{Context, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    pools::Pools,
    protocol::Formula,
    ranking::{Ranked, Ranking, rival},
    results::Results,
    tables::{
        bounds::Case, ended::Ended, landscape::Curved, pool::Tried, sensitivity::Cell,
        standings::Standing, trials::Spent,
    },
};

/// Epochs of one run with networks, as the budgets have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epochs {
    /// SMOOTHIE's: one for each probe, and its full trainings.
    pub smoothie: u32,
    /// Those that BOHB and DEHB may spend for N1 evaluations: of as many full trainings.
    pub others: u32,
}

impl Epochs {
    /// Of `probes` (N1), of which `full` (N2) are trained for `epochs`.
    #[must_use]
    pub fn of(probes: u32, full: u32, epochs: u32) -> Self {
        Self { smoothie: probes + full * epochs, others: probes * epochs }
    }
}

/// A task as far as verdicts need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The task.
    pub task: String,
    /// Its family.
    pub family: String,
    /// Whether the paper has it.
    pub in_paper: bool,
    /// Whether it is a task of software engineering.
    pub software: bool,
    /// The outcome in the paper, if its table has one: `win`, `tie` or `loss`.
    pub published: Option<String>,
    /// The cost of a run.
    pub epochs: Epochs,
    /// Whether its size differs from the paper's.
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
    /// The treatments that share the first rank, and those that share the second.
    pub groups: [Vec<String>; 2],
    /// Whether all methods share the first rank, each once: SMOOTHIE with the learner that represents it.
    pub all_tie: bool,
}

impl Outcome {
    /// Of treatments in ranks, where `learner` represents SMOOTHIE; `None` without it or without others.
    #[must_use]
    pub fn of(treatments: &[Ranked], learner: &str) -> Option<Self> {
        let rival = &treatments[rival(treatments)?];
        let represents = |one: &Ranked| one.is_smoothie() && one.learner == learner;
        if !treatments.iter().any(represents) {
            return None;
        }
        let mut groups = <[Vec<String>; 2]>::default();
        for treatment in treatments {
            groups[usize::from(!treatment.first)].push(treatment.name());
        }
        // SMOOTHIE's other learners are ranked with the others, as in the paper's tables, but are no methods.
        let mut methods = treatments.iter().filter(|one| !one.is_smoothie() || represents(one));
        Some(Self {
            word: rival.outcome.clone(),
            learner: learner.to_owned(),
            rival: rival.method.clone(),
            groups,
            all_tie: methods.all(|method| method.first),
        })
    }
}

/// Seconds of one run.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// CPU seconds of probes.
    pub probe: f64,
    /// Total CPU seconds.
    pub total: f64,
    /// Elapsed seconds.
    pub wall: f64,
}

/// One cell of Figure 8: (learner, N1, N2, rule) → scores of the pools.
pub type Cells = BTreeMap<(String, usize, usize, String), Vec<f64>>;

/// One bound in all random cases.
#[derive(Clone, Debug, Default)]
pub struct Bounded {
    /// Whether the claim rests on it.
    pub decides: bool,
    /// (bound, exact, ridge) of each case.
    pub cases: Vec<[f64; 3]>,
}

/// The bounds by name.
pub type Bounds = BTreeMap<String, Bounded>;

/// What the runs ended with, by protocol.
pub const ENDED: Many<Ended> = Many::new("ended ");
/// Their times.
pub const TIMES: Many<Spent> = Many::new("times ");
/// The gathered pools.
pub const POOLS: Many<Tried> = Many::new("pools ");
/// The results of every treatment.
pub const STANDINGS: Many<Standing> = Many::new("standings ");
/// Figure 8.
pub const SENSITIVITY: Many<Cell> = Many::new("sensitivity ");
/// The bounds of the theorems.
pub const BOUNDS: In<Case> = In::new("bounds");
/// The curvature of losses.
pub const LANDSCAPE: In<Curved> = In::new("landscape");

/// All evidence for the verdicts, under one protocol.
pub struct Evidence {
    /// The requested tasks.
    pub places: Vec<Place>,
    /// The formula that guides.
    pub formula: Formula,
    /// By task.
    pub outcomes: BTreeMap<String, Outcome>,
    /// What the runs ended with.
    pub results: Results,
    /// The pools.
    pub pools: Pools,
    /// (task, method, learner) → seconds of each repeat.
    pub seconds: BTreeMap<(String, String, String), Vec<Seconds>>,
    /// By task.
    pub sensitivity: BTreeMap<String, Cells>,
    /// The bounds of the theorems.
    pub bounds: Bounds,
    /// Task → (curvature before, after) of each repeat.
    pub curvatures: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Evidence {
    /// Reads the stage's inputs; unavailable ones are empty.
    ///
    /// # Errors
    /// If a table is corrupt or lacks a column.
    pub fn read(
        cx: &Context,
        places: &[Place],
        protocol: &str,
        formula: Formula,
    ) -> Result<Self, Stop> {
        let mut evidence = Self {
            results: ENDED.at(protocol).read_if_there(cx)?.unwrap_or_default().into(),
            pools: POOLS.at(protocol).read_if_there(cx)?.unwrap_or_default().into(),
            ..Self::without_tables(places, formula)
        };
        evidence.outcomes(STANDINGS.at(protocol).read_if_there(cx)?.unwrap_or_default());
        for Spent { label, tuner_s, probe_s, train_s, wall_s, .. } in
            TIMES.at(protocol).read_if_there(cx)?.unwrap_or_default()
        {
            let total = tuner_s + probe_s + train_s;
            let seconds = Seconds { probe: probe_s, total, wall: wall_s };
            let key = (label.task, label.method, label.learner);
            evidence.seconds.entry(key).or_default().push(seconds);
        }
        for row in SENSITIVITY.at(protocol).read_if_there(cx)?.unwrap_or_default() {
            let cell = (row.learner, row.n1, row.n2, row.rule.into_owned());
            let cells = evidence.sensitivity.entry(row.task).or_default();
            cells.entry(cell).or_default().push(row.score);
        }
        for case in BOUNDS.read_if_there(cx)?.unwrap_or_default() {
            let bounded = evidence.bounds.entry(case.theorem.into_owned()).or_default();
            bounded.decides = case.decides;
            bounded.cases.push([case.bound, case.exact, case.ridge]);
        }
        evidence.curvatures(LANDSCAPE.read_if_there(cx)?.unwrap_or_default());
        Ok(evidence)
    }

    /// The tasks, and no table yet.
    pub(super) fn without_tables(places: &[Place], formula: Formula) -> Self {
        Self {
            places: places.to_vec(),
            formula,
            outcomes: BTreeMap::new(),
            results: Results::default(),
            pools: Pools::default(),
            seconds: BTreeMap::new(),
            sensitivity: BTreeMap::new(),
            bounds: BTreeMap::new(),
            curvatures: BTreeMap::new(),
        }
    }

    /// The outcome on each task. Treatments are ranked here, by what the runs ended with, so that a record is judged
    /// anew without its runs where another learner represents SMOOTHIE than when it was made. Only where normalised
    /// scores are compared, which need every evaluation of random search, are the ranks those of the standings; there
    /// SMOOTHIE has one learner.
    pub(super) fn outcomes(&mut self, standings: Vec<Standing>) {
        let mut normalised: BTreeMap<String, Vec<Ranked>> = BTreeMap::new();
        for row in standings.into_iter().filter(|row| row.bayesmark.is_some()) {
            let Standing { label, first, median, outcome, .. } = row;
            let ranked =
                Ranked { method: label.method, learner: label.learner, first, median, outcome };
            normalised.entry(label.task).or_default().push(ranked);
        }
        for task in self.results.tasks() {
            let Some(learner) = self.results.representative(&task) else { continue };
            let treatments = normalised.remove(&task).or_else(|| self.ranked(&task, &learner));
            if let Some(outcome) = treatments.and_then(|all| Outcome::of(&all, &learner)) {
                self.outcomes.insert(task, outcome);
            }
        }
    }

    /// The treatments of a task in ranks, by their scores on the test part.
    fn ranked(&self, task: &str, learner: &str) -> Option<Vec<Ranked>> {
        let treatments = self.results.compared(task, learner);
        let names: Vec<(String, String)> = treatments.keys().cloned().collect();
        let scores: Vec<Vec<f64>> =
            treatments.values().map(|all| all.iter().map(|c| c.score).collect()).collect();
        Ranking::new(&names, learner, &scores).map(|ranking| ranking.treatments)
    }

    fn curvatures(&mut self, rows: Vec<Curved>) {
        let mut pairs: BTreeMap<(String, u32), [Option<f64>; 2]> = BTreeMap::new();
        for row in rows {
            let pair = pairs.entry((row.label.task, row.repeat)).or_default();
            pair[usize::from(row.tuned)] = Some(row.curvature);
        }
        for ((task, _), pair) in pairs {
            if let [Some(before), Some(after)] = pair {
                self.curvatures.entry(task).or_default().push((before, after));
            }
        }
    }

    /// The tasks of the paper.
    pub fn own(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|p| p.in_paper)
    }

    /// The tasks of a family.
    pub fn family<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'a Place> {
        self.places.iter().filter(move |p| p.family == family)
    }

    /// The choices of SMOOTHIE (with the learner that represents it) and of another treatment, repeat by
    /// repeat.
    #[must_use]
    pub fn pair(&self, task: &str, rival: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let learner = &self.outcomes.get(task)?.learner;
        let all = self.results.compared(task, learner);
        let scores = |list: &Vec<Ended>| list.iter().map(|c| c.score).collect::<Vec<_>>();
        let own = all.get(&("smoothie".to_owned(), learner.clone()))?;
        let other = all.iter().find(|((method, _), _)| method == rival)?.1;
        Some((scores(own), scores(other)))
    }
}

/// A task whose data are not available.
#[must_use]
pub fn absent(place: &Place) -> Finding {
    let why = "its data are not available";
    Finding::missing(&place.task, why).in_paper(place.in_paper)
}
