//! Tables V to IX: the results of every treatment on every task, the treatments that share the first rank,
//! and the wins, ties and losses of SMOOTHIE (section 5.6).

use std::collections::BTreeMap;

use kit::port::{In, Out};
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{metrics::normalised_regret, order::median};

use crate::{
    ranking::{Ranking, rival},
    results::{Results, ended, random_scores},
    tables::{
        ended::Ended,
        label::Label,
        standings::{Standing, Summary},
        trials::Entry,
    },
};

/// Compares what the runs ended with.
#[derive(Serialize, Deserialize)]
pub struct Standings {}

impl Standings {
    /// The trials of all runs.
    pub const RUNS: In<Entry> = In::new("runs");
    /// Every treatment on every task.
    pub const MAIN: Out<Standing> = Out::table("main");
    /// SMOOTHIE against the best of the others.
    pub const OUTCOMES: Out<Summary> = Out::table("outcomes");
    /// What each run ended with: all that comparisons and verdicts read of the runs.
    pub const ENDED: Out<Ended> = Out::table("ended");
}

impl Stage for Standings {
    const KIND: &'static str = "smoothie/standings";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::OUTCOMES.output(), Self::ENDED.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let trials = Self::RUNS.read(cx)?;
        let ended = ended(&trials);
        let results = Results::from(ended.clone());
        let (mut rows, mut summaries) = (Vec::new(), Vec::new());
        for task in results.tasks() {
            compare(&results, &trials, &task, &mut rows, &mut summaries)?;
        }
        Self::ENDED.write(cx, &ended)?;
        Self::MAIN.write(cx, &rows)?;
        Self::OUTCOMES.write(cx, &summaries)
    }
}

fn compare(
    results: &Results,
    trials: &[Entry],
    task: &str,
    rows: &mut Vec<Standing>,
    summaries: &mut Vec<Summary>,
) -> Result<(), Stop> {
    let Some(learner) = results.representative(task) else {
        return Err(Stop::Failed(format!("task {task} has no run of SMOOTHIE")));
    };
    let treatments: BTreeMap<(String, String), Vec<Ended>> = results.compared(task, &learner);
    let names: Vec<_> = treatments.keys().cloned().collect();
    let family = results.family(task);
    // A task whose scores are normalised is compared by its normalised scores.
    let normalised = (family == "bayesmark").then(|| normalise(trials, task, &treatments));
    let scores: Vec<Vec<f64>> = match &normalised {
        Some(all) => all.clone(),
        None => treatments.values().map(|c| c.iter().map(|c| c.score).collect()).collect(),
    };
    let Some(ranking) = Ranking::new(&names, &learner, &scores) else {
        return Err(Stop::Failed(format!("task {task} has a treatment without repeats")));
    };
    let (standing, representative) = (&ranking.standing, ranking.own);
    if let (Some(own), Some(rival)) = (representative, rival(&ranking.treatments)) {
        summaries.push(Summary {
            family: family.clone(),
            task: task.to_owned(),
            learner: names[own].1.clone(),
            rival: names[rival].0.clone(),
            outcome: ranking.treatments[rival].outcome.clone(),
            smoothie: standing.medians[own],
            other: standing.medians[rival],
            kruskal_p: standing.kruskal.p,
        });
    }
    for (i, (name, ended)) in treatments.iter().enumerate() {
        let of = |pick: fn(&Ended) -> f64| median(&ended.iter().map(pick).collect::<Vec<_>>());
        let constant = ended.iter().filter(|c| c.constant).count() as f64 / ended.len() as f64;
        let (method, learner) = name.clone();
        rows.push(Standing {
            treatment: ranking.treatments[i].name(),
            label: Label { family: family.clone(), task: task.to_owned(), method, learner },
            n: ended.len(),
            median: of(|c| c.score),
            mean: ended.iter().map(|c| c.score).sum::<f64>() / ended.len() as f64,
            accuracy: of(|c| c.accuracy),
            f1: of(|c| c.f1),
            pd: of(|c| c.pd),
            pf: of(|c| c.pf),
            precision: of(|c| c.precision),
            bayesmark: normalised.as_ref().map(|n| n[i].iter().sum::<f64>() / n[i].len() as f64),
            constant,
            first: standing.first[i],
            p: standing.adjusted_p[i],
            representative: representative == Some(i),
            outcome: ranking.treatments[i].outcome.clone(),
        });
    }
    Ok(())
}

/// Bayesmark's score of each repeat: 100 for the best loss seen, 0 for the median random evaluation.
fn normalise(
    trials: &[Entry],
    task: &str,
    treatments: &BTreeMap<(String, String), Vec<Ended>>,
) -> Vec<Vec<f64>> {
    let loss = |c: &Ended| 1.0 - c.score;
    let best = treatments.values().flatten().map(loss).fold(f64::INFINITY, f64::min);
    let clip = 1.0 - median(&random_scores(trials, task));
    let score = |c: &Ended| 100.0 * (1.0 - normalised_regret(loss(c), best, clip));
    treatments.values().map(|ended| ended.iter().map(score).collect()).collect()
}
