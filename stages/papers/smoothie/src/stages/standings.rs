//! Tables V to IX: what every treatment reached on every task, which ones share the first rank, and
//! where SMOOTHIE wins, ties and loses (section 5.6).

use std::collections::BTreeMap;

use kit::table::Columns;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{metrics::normalised_regret, order::median};

use crate::{
    ranking::Ranking,
    results::{Chosen, Runs},
};

/// Compares what the runs chose.
#[derive(Serialize, Deserialize)]
pub struct Standings {}

struct Row {
    family: String,
    task: String,
    method: String,
    learner: String,
    n: u32,
    score: f64,
    mean: f64,
    medians: [f64; 5],
    normalised: Option<f64>,
    constant: f64,
    first: bool,
    p: f64,
    representative: bool,
    outcome: &'static str,
}

struct Summary {
    family: String,
    task: String,
    learner: String,
    rival: String,
    outcome: &'static str,
    smoothie: f64,
    other: f64,
    kruskal_p: f64,
}

impl Stage for Standings {
    const KIND: &'static str = "smoothie/standings";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Output::table("main"), Output::table("outcomes")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::read(cx, "runs")?;
        let (mut rows, mut summaries) = (Vec::new(), Vec::new());
        for task in runs.tasks() {
            compare(&runs, &task, &mut rows, &mut summaries)?;
        }
        let main = Columns::new()
            .text("family", "family of the task", rows.iter().map(|r| &r.family))
            .text("task", "data set with its classes", rows.iter().map(|r| &r.task))
            .text("method", "optimiser", rows.iter().map(|r| &r.method))
            .text("learner", "learner that was tuned", rows.iter().map(|r| &r.learner))
            .text(
                "treatment",
                "the optimiser, SMOOTHIE with its learner: the others tune the one that does best",
                rows.iter().map(|r| match r.method.as_str() {
                    "smoothie" => format!("smoothie {}", r.learner),
                    other => other.to_owned(),
                }),
            )
            .index("n", "repeats", rows.iter().map(|r| r.n))
            .real(
                "median",
                "median of the score that counts, on the test part",
                rows.iter().map(|r| r.score),
            )
            .real("mean", "its mean", rows.iter().map(|r| r.mean))
            .real("accuracy", "median", rows.iter().map(|r| r.medians[0]))
            .real("f1", "median", rows.iter().map(|r| r.medians[1]))
            .real("pd", "median recall", rows.iter().map(|r| r.medians[2]))
            .real("pf", "median false alarm rate", rows.iter().map(|r| r.medians[3]))
            .real("precision", "median", rows.iter().map(|r| r.medians[4]))
            .maybe(
                "bayesmark",
                "normalised mean score, 100 is the best seen",
                rows.iter().map(|r| r.normalised),
            )
            .real(
                "constant",
                "share of repeats whose choice gives every test row one class",
                rows.iter().map(|r| r.constant),
            )
            .flag("first", "shares the first rank", rows.iter().map(|r| r.first))
            .real(
                "p",
                "against the best, Mann–Whitney with Benjamini–Hochberg",
                rows.iter().map(|r| r.p),
            )
            .flag(
                "representative",
                "SMOOTHIE with the learner that did best where configurations are compared",
                rows.iter().map(|r| r.representative),
            )
            .text("outcome", "of that SMOOTHIE against this", rows.iter().map(|r| r.outcome))
            .batch()?;
        let outcomes = Columns::new()
            .text("family", "family of the task", summaries.iter().map(|r| &r.family))
            .text("task", "data set with its classes", summaries.iter().map(|r| &r.task))
            .text("learner", "SMOOTHIE's learner", summaries.iter().map(|r| &r.learner))
            .text("rival", "the best of the others, by median", summaries.iter().map(|r| &r.rival))
            .text("outcome", "SMOOTHIE's: win, tie or loss", summaries.iter().map(|r| r.outcome))
            .real("smoothie", "its median score", summaries.iter().map(|r| r.smoothie))
            .real("other", "the rival's median score", summaries.iter().map(|r| r.other))
            .real("kruskal_p", "of all treatments", summaries.iter().map(|r| r.kruskal_p))
            .batch()?;
        cx.write("main", &main)?;
        Ok(cx.write("outcomes", &outcomes)?)
    }
}

fn compare(
    runs: &Runs,
    task: &str,
    rows: &mut Vec<Row>,
    summaries: &mut Vec<Summary>,
) -> Result<(), Stop> {
    let Some(learner) = runs.representative(task) else {
        return Err(Stop::Failed(format!("task {task} has no run of SMOOTHIE")));
    };
    let treatments: BTreeMap<(String, String), Vec<Chosen>> = runs.compared(task, &learner);
    let names: Vec<_> = treatments.keys().cloned().collect();
    let family = runs.family(task);
    // A task whose scores are normalised is compared by its normalised scores.
    let normalised = (family == "bayesmark").then(|| normalise(runs, task, &treatments));
    let scores: Vec<Vec<f64>> = match &normalised {
        Some(all) => all.clone(),
        None => treatments.values().map(|c| c.iter().map(|c| c.score).collect()).collect(),
    };
    let Some(ranking) = Ranking::new(&names, &learner, &scores) else {
        return Err(Stop::Failed(format!("task {task} has a treatment without repeats")));
    };
    let (standing, representative) = (&ranking.standing, ranking.own);
    if let (Some(own), Some(rival)) = (representative, ranking.rival) {
        summaries.push(Summary {
            family: family.clone(),
            task: task.to_owned(),
            learner: names[own].1.clone(),
            rival: names[rival].0.clone(),
            outcome: ranking.outcome(rival).unwrap_or_default(),
            smoothie: standing.medians[own],
            other: standing.medians[rival],
            kruskal_p: standing.kruskal.p,
        });
    }
    for (i, (name, chosen)) in treatments.iter().enumerate() {
        let of = |pick: fn(&Chosen) -> f64| median(&chosen.iter().map(pick).collect::<Vec<_>>());
        let constant = chosen.iter().filter(|c| c.constant).count() as f64 / chosen.len() as f64;
        rows.push(Row {
            family: family.clone(),
            task: task.to_owned(),
            method: name.0.clone(),
            learner: name.1.clone(),
            n: u32::try_from(chosen.len()).unwrap_or(u32::MAX),
            score: of(|c| c.score),
            mean: chosen.iter().map(|c| c.score).sum::<f64>() / chosen.len() as f64,
            medians: [
                of(|c| c.accuracy),
                of(|c| c.f1),
                of(|c| c.pd),
                of(|c| c.pf),
                of(|c| c.precision),
            ],
            normalised: normalised.as_ref().map(|n| n[i].iter().sum::<f64>() / n[i].len() as f64),
            constant,
            first: standing.first[i],
            p: standing.adjusted_p[i],
            representative: representative == Some(i),
            outcome: ranking.outcome(i).unwrap_or_default(),
        });
    }
    Ok(())
}

/// Bayesmark's score of each repeat: 100 for the best loss seen, 0 for the median random evaluation.
fn normalise(
    runs: &Runs,
    task: &str,
    treatments: &BTreeMap<(String, String), Vec<Chosen>>,
) -> Vec<Vec<f64>> {
    let loss = |c: &Chosen| 1.0 - c.score;
    let best = treatments.values().flatten().map(loss).fold(f64::INFINITY, f64::min);
    let clip = 1.0 - median(&runs.random_scores(task));
    let score = |c: &Chosen| 100.0 * (1.0 - normalised_regret(loss(c), best, clip));
    treatments.values().map(|chosen| chosen.iter().map(score).collect()).collect()
}
