//! SMOOTHIE against each rival over all tasks: the chance that it is at least as good beside the
//! smoothness of the data (Figure 7), and average ranks with their critical difference
//! \[Demsar2006\], which the paper does not have.

use std::collections::BTreeMap;

use kit::table::{Columns, Rows};
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
    results::{Runs, largest_budget, smallest_budget},
};

/// Compares what the runs chose over all tasks.
#[derive(Serialize, Deserialize)]
pub struct Contrasts {
    /// The formula whose smoothness is shown.
    pub formula: Formula,
    /// The tasks of the paper: ranks are taken over these.
    pub own: Vec<String>,
}

/// Level of the critical difference.
const ALPHA: f64 = 0.05;

/// Treatments that every family has: budgets differ between families, their parts do not.
const TREATMENTS: [&str; 5] = ["smoothie", "random-n2", "bohb-n2", "bohb-n1", "dehb-n1"];

struct Chance {
    family: String,
    task: String,
    own: bool,
    rival: &'static str,
    smoothness: Option<f64>,
    chance: f64,
}

impl Stage for Contrasts {
    const KIND: &'static str = "smoothie/contrasts";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Output::table("main"), Output::table("ranks"), Output::table("bars")];

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::read(cx, "runs")?;
        let pools = Pools::read(cx, "pools")?;
        let learners = representatives(cx)?;
        let (mut chances, mut blocks) = (Vec::new(), Vec::new());
        for task in runs.tasks() {
            let Some(learner) = learners.get(&task) else { continue };
            let Some(scores) = scores(&runs, &task, learner) else { continue };
            let own = self.own.contains(&task);
            for (rival, theirs) in TREATMENTS.into_iter().zip(&scores).skip(1) {
                chances.push(Chance {
                    family: runs.family(&task),
                    task: task.clone(),
                    own,
                    rival,
                    smoothness: pools.mean_smoothness(&task, self.formula),
                    chance: at_least_as_good(&scores[0], theirs, Better::Higher),
                });
            }
            if own {
                blocks.extend(scores.iter().map(|s| median(s)));
            }
        }
        cx.write("main", &table(&chances)?)?;
        write_ranks(cx, blocks)
    }
}

/// The learner that represents SMOOTHIE on each task.
fn representatives(cx: &Context) -> Result<BTreeMap<String, String>, Stop> {
    let table = cx.input("standings")?;
    let rows = Rows(&table);
    let (task, learner) = (rows.text("task")?, rows.text("learner")?);
    let chosen = rows.flag("representative")?;
    Ok((0..rows.len())
        .filter(|&i| chosen[i])
        .map(|i| (task[i].clone(), learner[i].clone()))
        .collect())
}

/// Test scores by repeat of each of [`TREATMENTS`]; `None` where one of them is missing.
fn scores(runs: &Runs, task: &str, learner: &str) -> Option<Vec<Vec<f64>>> {
    let all = runs.compared(task, learner);
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

fn table(chances: &[Chance]) -> Result<arrow_array::RecordBatch, Stop> {
    Ok(Columns::new()
        .text("family", "family of the task", chances.iter().map(|c| &c.family))
        .text("task", "data set with its classes", chances.iter().map(|c| &c.task))
        .flag("in_paper", "a task of the paper", chances.iter().map(|c| c.own))
        .text("rival", "what SMOOTHIE is compared with", chances.iter().map(|c| c.rival))
        .maybe("smoothness", "mean β of the pools' networks", chances.iter().map(|c| c.smoothness))
        .real(
            "chance",
            "share of pairs of repeats in which SMOOTHIE is at least as good",
            chances.iter().map(|c| c.chance),
        )
        .batch()?)
}

/// `blocks`: median score of each treatment, task by task.
fn write_ranks(cx: &mut Context, blocks: Vec<f64>) -> Result<(), Stop> {
    let k = TREATMENTS.len();
    let n = blocks.len() / k;
    let blocks = Array2::from_shape_vec((n, k), blocks).map_err(|e| Stop::Failed(e.to_string()))?;
    let found = friedman(blocks.view(), Better::Higher);
    let critical = critical_difference(k, n, ALPHA);
    let ranks = Columns::new()
        .text("treatment", "SMOOTHIE or a rival", TREATMENTS)
        .real(
            "average_rank",
            "over the paper's tasks, 1 is best",
            found.average_ranks.iter().copied(),
        )
        .index("tasks", "how many", TREATMENTS.map(|_| u32::try_from(n).unwrap_or(u32::MAX)))
        .real("critical_difference", "Nemenyi at 5%", TREATMENTS.map(|_| critical))
        .real("chi_squared", "Friedman's statistic", TREATMENTS.map(|_| found.chi_squared))
        .real("p", "of Friedman's test", TREATMENTS.map(|_| found.p))
        .batch()?;
    cx.write("ranks", &ranks)?;
    let bars = cliques(&found.average_ranks, critical);
    let ends: Vec<(usize, usize)> =
        bars.iter().filter_map(|bar| Some((*bar.first()?, *bar.last()?))).collect();
    let bars = Columns::new()
        .text("best", "treatments from this one", ends.iter().map(|e| TREATMENTS[e.0]))
        .text("worst", "to this one do not differ", ends.iter().map(|e| TREATMENTS[e.1]))
        .batch()?;
    Ok(cx.write("bars", &bars)?)
}
