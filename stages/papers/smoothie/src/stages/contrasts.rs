//! SMOOTHIE against each rival over all tasks: the probability that it is at least as good, with the
//! smoothness of the data (Figure 7), and average ranks with their critical difference \[Demsar2006\], which
//! the paper does not have.

use kit::{
    port::{In, Out},
    row::Row,
};
use ndarray::Array2;
use pipeline::stage::{Context, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{
    better::Better,
    improvement::at_least_as_good,
    order::median,
    rank_tests::{
        friedman::friedman,
        nemenyi::{cliques, critical_difference},
    },
};

use crate::{
    pools::Pools,
    protocol::Formula,
    results::{Results, largest_budget, smallest_budget},
    tables::{ended::Ended, pool::Tried},
};

/// Compares what the runs ended with over all tasks.
#[derive(Serialize, Deserialize)]
pub struct Contrasts {
    /// The formula whose smoothness is shown.
    pub formula: Formula,
    /// The tasks of the paper, over which ranks are averaged.
    pub own: Vec<String>,
}

/// Level of the critical difference.
const ALPHA: f64 = 0.05;

/// Treatments that every family has: budgets differ between families, the names before them do not.
const TREATMENTS: [&str; 5] = ["smoothie", "random-n2", "bohb-n2", "bohb-n1", "dehb-n1"];

/// The chance that SMOOTHIE is at least as good as a rival on a task.
#[derive(Row)]
pub struct Chance {
    /// family of the task
    family: String,
    /// data set with its classes
    task: String,
    /// a task of the paper
    in_paper: bool,
    /// what SMOOTHIE is compared with
    rival: &'static str,
    /// mean β of the pools' networks
    smoothness: Option<f64>,
    /// share of pairs of repeats in which SMOOTHIE is at least as good
    chance: f64,
}

/// The rank of a treatment.
#[derive(Row)]
pub struct Ranked {
    /// SMOOTHIE or a rival
    treatment: &'static str,
    /// over the paper's tasks, 1 is best
    average_rank: f64,
    /// how many
    tasks: usize,
    /// Nemenyi at 5%
    critical_difference: f64,
    /// Friedman's statistic
    chi_squared: f64,
    /// of Friedman's test
    p: f64,
}

/// Treatments that do not differ.
#[derive(Row)]
pub struct Bar {
    /// treatments from this one
    best: &'static str,
    /// to this one do not differ
    worst: &'static str,
}

impl Contrasts {
    /// What the runs ended with.
    pub const ENDED: In<Ended> = In::new("ended");
    /// The gathered pools.
    pub const POOLS: In<Tried> = In::new("pools");
    /// The probabilities.
    pub const MAIN: Out<Chance> = Out::table("main");
    /// The ranks.
    pub const RANKS: Out<Ranked> = Out::table("ranks");
    /// The groups that do not differ.
    pub const BARS: Out<Bar> = Out::table("bars");
}

impl Stage for Contrasts {
    const KIND: &'static str = "smoothie/contrasts";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::RANKS.output(), Self::BARS.output()];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let results = Results::from(Self::ENDED.read(cx)?);
        let pools = Pools::from(Self::POOLS.read(cx)?);
        let (mut chances, mut blocks) = (Vec::new(), Vec::new());
        for task in results.tasks() {
            let Some(learner) = results.representative(&task) else { continue };
            let Some(scores) = scores(&results, &task, &learner) else { continue };
            let own = self.own.contains(&task);
            for (rival, theirs) in TREATMENTS.into_iter().zip(&scores).skip(1) {
                chances.push(Chance {
                    family: results.family(&task),
                    task: task.clone(),
                    in_paper: own,
                    rival,
                    smoothness: pools.mean_smoothness(&task, self.formula),
                    chance: at_least_as_good(&scores[0], theirs, Better::Higher),
                });
            }
            if own {
                blocks.extend(scores.iter().map(|s| median(s)));
            }
        }
        Self::MAIN.write(cx, &chances)?;
        write_ranks(cx, blocks)
    }
}

/// Test scores by repeat of each of [`TREATMENTS`]; `None` if one of them is missing.
fn scores(results: &Results, task: &str, learner: &str) -> Option<Vec<Vec<f64>>> {
    let all = results.compared(task, learner);
    let methods = || all.keys().map(|(method, _)| method.as_str());
    let method = |treatment: &str| {
        Some(match treatment {
            "smoothie" => "smoothie",
            "random-n2" => smallest_budget(methods(), "random-")?,
            "bohb-n2" => smallest_budget(methods(), "bohb-")?,
            "bohb-n1" => largest_budget(methods(), "bohb-")?,
            _ => largest_budget(methods(), "dehb-")?,
        })
    };
    let of = |treatment: &&str| {
        let wanted = method(treatment)?;
        let chosen =
            all.iter().find(|((m, l), _)| m == wanted && (m != "smoothie" || l == learner))?.1;
        Some(chosen.iter().map(|c| c.score).collect())
    };
    TREATMENTS.iter().map(of).collect()
}

/// `blocks`: median score of each treatment, task by task.
fn write_ranks(cx: &mut Context, blocks: Vec<f64>) -> Result<(), Stop> {
    let k = TREATMENTS.len();
    let n = blocks.len() / k;
    let blocks = Array2::from_shape_vec((n, k), blocks).map_err(|e| Stop::Failed(e.to_string()))?;
    let found = friedman(blocks.view(), Better::Higher);
    let critical = critical_difference(k, n, ALPHA);
    let rank = |(treatment, &average_rank)| Ranked {
        treatment,
        average_rank,
        tasks: n,
        critical_difference: critical,
        chi_squared: found.chi_squared,
        p: found.p,
    };
    let ranks: Vec<Ranked> = TREATMENTS.into_iter().zip(&found.average_ranks).map(rank).collect();
    Contrasts::RANKS.write(cx, &ranks)?;
    let bars = cliques(&found.average_ranks, critical);
    let bar = |bar: &Vec<usize>| {
        Some(Bar { best: TREATMENTS[*bar.first()?], worst: TREATMENTS[*bar.last()?] })
    };
    Contrasts::BARS.write(cx, &bars.iter().filter_map(bar).collect::<Vec<_>>())
}
