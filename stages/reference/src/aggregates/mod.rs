//! Checks the format of comparisons of methods: aggregates of scores, probabilities of improvement, running
//! times. Sections about pairs and tests are in their own modules.

mod compare;
mod pairs;
mod significance;

use serde_json::{Map, Value};
use stats::{
    aggregates::Scores,
    moments::mean,
    running_time::{expected, hit, share_reached},
};

use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};
use compare::{ABSOLUTE, ends, one_or_all};

const LEVEL: f64 = 0.95;

/// A number that sums scores up.
type Statistic = Box<dyn Fn(&Scores) -> f64>;

/// The sections, each of which makes a file of this format.
const SECTIONS: [&str; 8] = [
    "scores",
    "probability_of_improvement",
    "runtime",
    "bayesian_signed_rank",
    "paired_intervals",
    "tost",
    "wilcoxon",
    "holm",
];

/// Whether a file is of this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    SECTIONS.iter().any(|key| top.contains_key(*key))
}

/// Checks every case of every section.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (key, value) in top {
        let section: fn(&Node<'_>, &mut Vec<Case>) -> Result<(), Error> = match key.as_str() {
            "protocol" | "tolerances" | "description" | "note" => continue,
            _ if value.is_null() => continue,
            "scores" => scores,
            "probability_of_improvement" => improvement,
            "runtime" => running_time,
            "bayesian_signed_rank" => pairs::bayesian,
            "paired_intervals" => pairs::intervals,
            "tost" => significance::equivalence,
            "wilcoxon" => significance::wilcoxon,
            "holm" => significance::holm,
            _ => {
                cases.push(Case::ignored(key));
                continue;
            }
        };
        for item in (Node { at: key.clone(), value }).listed(&mut cases) {
            let name = item.get("name").and_then(|name| name.text().ok());
            let at = name.map_or(item.at, |name| format!("{key} {name}"));
            keep(section(&Node { at, value: item.value }, &mut cases), &mut cases);
        }
    }
    Ok(cases)
}

/// Scores by run and task.
fn table(node: &Node<'_>) -> Result<Scores, Error> {
    let rows = node.each(|row| row.each(Node::extended))?;
    let shape = || Error::Shape { at: node.at.clone(), expected: "runs of as many tasks each" };
    Scores::new(rows).ok_or_else(shape)
}

fn places(node: &Node<'_>) -> Result<Vec<Vec<usize>>, Error> {
    node.each(|row| row.each(Node::whole))
}

fn resamples(
    scores: &Scores,
    runs: &Node<'_>,
    tasks: Option<Node<'_>>,
) -> Result<Vec<Scores>, Error> {
    let tasks = tasks.map(|node| places(&node)).transpose()?;
    let shape = || Error::Shape { at: runs.at.clone(), expected: "places of runs and tasks" };
    let all = runs.each(places)?;
    if tasks.as_ref().is_some_and(|tasks| tasks.len() != all.len()) {
        return Err(shape());
    }
    let one = |(b, runs): (usize, &Vec<Vec<usize>>)| {
        scores.resampled(runs, tasks.as_ref().map(|tasks| tasks[b].as_slice()))
    };
    all.iter().enumerate().map(one).collect::<Option<Vec<_>>>().ok_or_else(shape)
}

fn scores(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let scores = table(&item.need("scores")?)?;
    let resamples = resamples(&scores, &item.need("run_resamples")?, item.get("task_resamples"))?;
    let taus = item.need("taus")?.each(Node::extended)?;
    let gamma = item.need("gamma")?.number()?;
    for (key, node) in item.need("expected")?.members()? {
        let profile = |of: fn(&Scores, f64) -> f64| -> Vec<Statistic> {
            let at = |tau: f64| -> Statistic { Box::new(move |s| of(s, tau)) };
            taus.iter().map(|tau| at(*tau)).collect()
        };
        let statistics: Vec<Statistic> = match key {
            "mean" => vec![Box::new(Scores::mean)],
            "median" => vec![Box::new(Scores::median)],
            "iqm" => vec![Box::new(Scores::interquartile_mean)],
            "optimality_gap" => vec![Box::new(move |s| s.optimality_gap(gamma))],
            "score_profile" => profile(Scores::profile),
            "mean_score_profile" => profile(Scores::profile_of_means),
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        let intervals: Vec<(f64, f64)> = statistics
            .iter()
            .map(|of| ends(&resamples.iter().map(of).collect::<Vec<_>>(), LEVEL))
            .collect();
        for (part, expected) in node.members()? {
            let ours: Vec<f64> = match part {
                "estimate" => statistics.iter().map(|of| of(&scores)).collect(),
                "lower" => intervals.iter().map(|(low, _)| *low).collect(),
                "upper" => intervals.iter().map(|(_, high)| *high).collect(),
                _ => {
                    cases.push(Case::ignored(expected.at));
                    continue;
                }
            };
            one_or_all(&expected, &ours, ABSOLUTE, cases);
        }
    }
    Ok(())
}

fn improvement(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let (x, y) = (table(&item.need("x")?)?, table(&item.need("y")?)?);
    let of_x = resamples(&x, &item.need("x_resamples")?, None)?;
    let of_y = resamples(&y, &item.need("y_resamples")?, None)?;
    let shape = || Error::Shape { at: item.at.clone(), expected: "the same tasks in x and y" };
    let per_task = x.improvement_over(&y).ok_or_else(shape)?;
    let values = of_x.iter().zip(&of_y).map(|(x, y)| x.improvement_over(y).map(|p| mean(&p)));
    let values = values.collect::<Option<Vec<f64>>>().ok_or_else(shape)?;
    let (low, high) = ends(&values, LEVEL);
    for (key, expected) in item.need("expected")?.members()? {
        match key {
            "per_task" => one_or_all(&expected, &per_task, ABSOLUTE, cases),
            "estimate" => one_or_all(&expected, &[mean(&per_task)], ABSOLUTE, cases),
            "lower" => one_or_all(&expected, &[low], ABSOLUTE, cases),
            "upper" => one_or_all(&expected, &[high], ABSOLUTE, cases),
            _ => cases.push(Case::ignored(expected.at)),
        }
    }
    Ok(())
}

fn running_time(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let runs = item.need("runs")?.each(|run| run.each(Node::extended))?;
    let targets = item.need("targets")?.each(Node::extended)?;
    let times = item.need("times")?.each(Node::whole)?;
    for (key, node) in item.need("expected")?.members()? {
        match key {
            "ecdf" => {
                let share = |t: &usize| share_reached(&runs, &targets, *t);
                let ours: Vec<f64> = times.iter().map(share).collect();
                one_or_all(&node, &ours, ABSOLUTE, cases);
            }
            "per_target" => {
                for part in node.listed(cases) {
                    keep(target(&part, &runs, cases), cases);
                }
            }
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

fn target(part: &Node<'_>, runs: &[Vec<f64>], cases: &mut Vec<Case>) -> Result<(), Error> {
    let target = part.need("target")?.extended()?;
    let hits: Vec<Option<usize>> = runs.iter().map(|run| hit(run, target)).collect();
    let successes = hits.iter().flatten().count() as f64;
    for (key, node) in part.members()? {
        match key {
            "target" => {}
            "hitting_evaluations" => {
                // Never reached is `null` in the file, and no number here.
                for (at, listed) in hits.iter().zip(node.listed(cases)) {
                    let own = at.map_or(f64::NAN, |at| at as f64);
                    cases.push(if listed.value.is_null() {
                        Case::absolute(listed.at, own, f64::NAN, 0.0)
                    } else {
                        listed.absolute(own, 0.0)
                    });
                }
            }
            "evaluations_counted" => {
                let spent = |(run, at): (&Vec<f64>, &Option<usize>)| at.unwrap_or(run.len()) as f64;
                let ours: Vec<f64> = runs.iter().zip(&hits).map(spent).collect();
                one_or_all(&node, &ours, 0.0, cases);
            }
            "successes" => one_or_all(&node, &[successes], 0.0, cases),
            "success_rate" => {
                one_or_all(&node, &[successes / runs.len() as f64], ABSOLUTE, cases);
            }
            "ert" => one_or_all(&node, &[expected(runs, target)], ABSOLUTE, cases),
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}
