//! Average ranks of methods during the runs, and where they end.

use std::collections::BTreeMap;

use kit::port::{In, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{moments::mean, rank_tests::ranks::ranks};

use crate::tables::{
    ranked::{Ranked, Standing},
    run::Run,
};

/// Ranks of some of the methods, on the seeds that all have.
#[derive(Serialize, Deserialize)]
pub struct Ranks {
    /// The methods.
    pub methods: Vec<String>,
    /// The number of seeds, from 0.
    pub seeds: u32,
}

impl Ranks {
    /// The runs.
    pub const RUNS: In<Run> = In::new("runs");
    /// Means at the end, by target.
    pub const MAIN: Out<Standing> = Out::table("main");
    /// Average ranks during the runs.
    pub const RANKS: Out<Ranked> = Out::table("ranks");
}

/// (group, target, evaluations) → method → losses over seeds.
type Cells<'a> = BTreeMap<(&'a str, &'a str, u32), BTreeMap<&'a str, Vec<f64>>>;

impl Stage for Ranks {
    const KIND: &'static str = "tpe/ranks";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::RANKS.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Self::RUNS.read(cx)?;
        let mut cells = Cells::new();
        let own = |run: &&Run| self.methods.contains(&run.method) && run.seed < self.seeds;
        for run in runs.iter().filter(own) {
            let cell = cells.entry((&run.group, &run.target, run.evaluations)).or_default();
            cell.entry(&run.method).or_default().push(run.best);
        }
        cells.retain(|_, cell| cell.len() == self.methods.len());
        // (group, evaluations) → method → ranks over targets.
        let mut all: BTreeMap<(&str, u32), BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        for ((group, _, evaluations), cell) in &cells {
            let means: Vec<f64> = cell.values().map(|losses| mean(losses)).collect();
            let own = all.entry((group, *evaluations)).or_default();
            for (method, rank) in cell.keys().zip(ranks(&means).ranks) {
                own.entry(method).or_default().push(rank);
            }
        }
        let mut rows = Vec::new();
        for ((group, evaluations), methods) in all {
            rows.extend(methods.into_iter().map(|(method, ranks)| Ranked {
                group: group.to_owned(),
                method: method.to_owned(),
                evaluations,
                rank: mean(&ranks),
                targets: ranks.len() as u32,
            }));
        }
        Self::RANKS.write(cx, &rows)?;
        let last = cells.keys().map(|key| key.2).max();
        let mut standings = Vec::new();
        for ((_, target, _), cell) in cells.iter().filter(|(key, _)| Some(key.2) == last) {
            standings.extend(cell.iter().map(|(method, losses)| Standing {
                target: (*target).to_owned(),
                method: (*method).to_owned(),
                best: mean(losses),
            }));
        }
        Self::MAIN.write(cx, &standings)
    }
}
