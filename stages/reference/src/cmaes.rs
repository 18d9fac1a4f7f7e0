//! Checks the format of CMA-ES: weights and rates by dimension and population, and the state after each of
//! several generations in the file.

use ndarray::Array2;
use serde_json::{Map, Value};
use tuners::cma_es::{
    distribution::{Covariance, Distribution},
    strategy::Strategy,
};

use super::{
    Error,
    case::{Case, distance, keep},
    node::Node,
};

/// Relative tolerance of weights and rates.
const STRATEGY: f64 = 1e-13;
/// Tolerance of states, relative to the largest entry of each.
const STATE: f64 = 1e-11;
/// Keys that are only for readers.
const TEXTS: [&str; 3] = ["name", "description", "note"];
/// A population with more weights than this is given by a summary of them.
const SUMMARY: usize = 5;

/// Whether a file has this format.
pub fn recognises(top: &Map<String, Value>) -> bool {
    ["strategy", "cma", "sep_cma"].iter().any(|key| top.contains_key(*key))
}

/// Checks every strategy and every run.
///
/// # Errors
/// If the file is malformed.
pub fn check(top: &Map<String, Value>) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (key, value) in top {
        let node = Node { at: key.clone(), value };
        match key.as_str() {
            "protocol" | "tolerances" | "description" | "note" => {}
            _ if value.is_null() => {}
            "strategy" => {
                for item in node.listed(&mut cases) {
                    keep(strategy(&item, &mut cases), &mut cases);
                }
            }
            "cma" | "sep_cma" => {
                for item in node.listed(&mut cases) {
                    keep(run(&item, key == "sep_cma", &mut cases), &mut cases);
                }
            }
            _ => cases.push(Case::ignored(key)),
        }
    }
    Ok(cases)
}

fn whole(node: &Node<'_>) -> Result<usize, Error> {
    let expected = "a whole number that is not too large";
    let too_large = || Error::Shape { at: node.at.clone(), expected };
    Some(node.whole()?).filter(|n| *n <= MOST).ok_or_else(too_large)
}

/// The largest dimension or population of a sensible case.
const MOST: usize = 100_000;

/// The strategy of a case; `None` if the file asks for one that does not exist.
fn built(dimension: usize, population: Option<usize>, diagonal: bool) -> Option<Strategy> {
    if dimension == 0 {
        return None;
    }
    let population = population.unwrap_or_else(|| Strategy::default_population(dimension));
    let make = if diagonal { Strategy::diagonal } else { Strategy::full };
    (population >= 2).then(|| make(dimension, population))
}

fn strategy(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let diagonal = match item.need("algorithm")?.text()? {
        "cma" => false,
        "sep" => true,
        _ => {
            cases.push(Case::not_understood(format!("{}/algorithm", item.at)));
            return Ok(());
        }
    };
    let given = item.get("population_size_given").map(|node| whole(&node)).transpose()?;
    let Some(ours) = built(whole(&item.need("dimension")?)?, given, diagonal) else {
        cases.push(Case::not_understood(item.at.clone()));
        return Ok(());
    };
    for (key, node) in item.given()? {
        let value = match key {
            "algorithm" | "dimension" | "population_size_given" => continue,
            _ if TEXTS.contains(&key) => continue,
            "population_size" | "mu" => {
                let own = if key == "mu" { ours.parents } else { ours.population };
                cases.push(node.absolute(own as f64, 0.0));
                continue;
            }
            "weights" => {
                keep(weights(&node, &ours.weights, cases), cases);
                continue;
            }
            "mu_eff" => ours.mass,
            "c1" => ours.rank_one,
            "cmu" => ours.rank_mu,
            "cc" => ours.path_covariance,
            "c_sigma" => ours.path_step,
            "d_sigma" => ours.damping,
            "chi_n" => ours.expected_norm,
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        cases.push(near(&node, value, STRATEGY));
    }
    Ok(())
}

/// Compares relative to the expected value; both can be 0.
fn near(node: &Node<'_>, ours: f64, tolerance: f64) -> Case {
    node.against(ours, |at, expected| match expected {
        0.0 => Case::absolute(at, ours, expected, tolerance),
        _ => Case::relative(at, ours, expected, 0.0, tolerance),
    })
}

fn weights(node: &Node<'_>, ours: &[f64], cases: &mut Vec<Case>) -> Result<(), Error> {
    if node.value.is_array() {
        entries(node, ours, STRATEGY, cases);
        return Ok(());
    }
    for (key, part) in node.given()? {
        match key {
            "first_5" => entries(&part, &ours[..SUMMARY.min(ours.len())], STRATEGY, cases),
            "last_5" => {
                entries(&part, &ours[ours.len().saturating_sub(SUMMARY)..], STRATEGY, cases);
            }
            "sum" => {
                let sum: f64 = ours.iter().sum();
                // Positive and negative weights cancel: the sum is compared relative to its terms.
                let size: f64 = ours.iter().map(|w| w.abs()).sum();
                cases.push(part.against(sum, |at, e| {
                    Case::with_error(at, sum, e, distance(sum, e) / size, STRATEGY)
                }));
            }
            "sum_of_squares" => {
                let sum = ours.iter().map(|w| w * w).sum();
                cases.push(near(&part, sum, STRATEGY));
            }
            _ => cases.push(Case::ignored(part.at)),
        }
    }
    Ok(())
}

/// Compares numbers one by one, each relative to itself.
fn entries(node: &Node<'_>, ours: &[f64], tolerance: f64, cases: &mut Vec<Case>) {
    let listed = node.listed(cases);
    if length(node, ours.len(), listed.len(), cases) {
        cases.extend(ours.iter().zip(listed).map(|(own, node)| near(&node, *own, tolerance)));
    }
}

/// Whether the number of values is as expected; if not, that is a case of its own.
fn length(node: &Node<'_>, ours: usize, listed: usize, cases: &mut Vec<Case>) -> bool {
    if ours != listed {
        let at = format!("{} (number of entries)", node.at);
        cases.push(Case::absolute(at, ours as f64, listed as f64, 0.0));
    }
    ours == listed
}

fn matrix(node: &Node<'_>, n: usize) -> Result<Array2<f64>, Error> {
    let rows = node.items()?.iter().map(Node::numbers).collect::<Result<Vec<_>, _>>()?;
    let shape = || Error::Shape { at: node.at.clone(), expected: "a square matrix" };
    if rows.len() != n || rows.iter().any(|row| row.len() != n) {
        return Err(shape());
    }
    Array2::from_shape_vec((n, n), rows.concat()).map_err(|_| shape())
}

fn run(item: &Node<'_>, diagonal: bool, cases: &mut Vec<Case>) -> Result<(), Error> {
    let at = item.named(' ');
    let start = item.need("initial")?;
    let mean = start.need("mean")?.numbers()?;
    let population = start.get("population_size").map(|node| whole(&node)).transpose()?;
    let Some(strategy) = built(mean.len(), population, diagonal) else {
        cases.push(Case::not_understood(at));
        return Ok(());
    };
    let covariance = match (start.get("cov"), diagonal) {
        (None, false) => Covariance::Full(Array2::eye(mean.len())),
        (None, true) => Covariance::Diagonal(vec![1.0; mean.len()]),
        (Some(node), false) => Covariance::Full(matrix(&node, mean.len())?),
        (Some(node), true) => Covariance::Diagonal(node.numbers()?),
    };
    let n = mean.len();
    let sigma = start.need("sigma")?.number()?;
    let mut ours = Distribution::with_covariance(strategy, mean, sigma, covariance);
    let states = item.need("states")?.items()?;
    let generations = item.need("generations")?.items()?;
    if !length(item, generations.len(), states.len(), cases) {
        return Ok(());
    }
    for (i, (generation, expected)) in generations.iter().zip(&states).enumerate() {
        let points = generation.need("x")?.items()?;
        let points = points.iter().map(Node::numbers).collect::<Result<Vec<_>, _>>()?;
        let values = generation.need("values")?.items()?;
        let losses = values.iter().map(Node::extended).collect::<Result<Vec<_>, _>>()?;
        let wanted = ours.strategy.population;
        if points.len() != wanted || losses.len() != wanted || points.iter().any(|x| x.len() != n) {
            let expected = "as many points and values as the population has, of the mean's length";
            return Err(Error::Shape { at: generation.at.clone(), expected });
        }
        let order = ours.tell(&points, &losses);
        keep(state(&format!("{at}/states[{i}]"), expected, &ours, &order, cases), cases);
    }
    Ok(())
}

fn state(
    at: &str,
    expected: &Node<'_>,
    ours: &Distribution,
    order: &[usize],
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    for (key, node) in expected.given()? {
        let node = Node { at: format!("{at}/{key}"), value: node.value };
        match key {
            "max_relative_difference" => {}
            "generation" => {
                let generation = f64::from(ours.generation);
                cases.push(node.absolute(generation, 0.0));
            }
            "mean" => vector(&node, &ours.mean, node.listed(cases), cases),
            "p_sigma" => vector(&node, &ours.path_step, node.listed(cases), cases),
            "p_c" => vector(&node, &ours.path_covariance, node.listed(cases), cases),
            "sigma" => cases.push(near(&node, ours.step, STATE)),
            "norm_p_sigma" => cases.push(near(&node, ours.path_norm(), STATE)),
            "h_sigma" => {
                let steady = f64::from(u8::from(ours.steady));
                cases.push(node.absolute(steady, 0.0));
            }
            "order" => {
                let order: Vec<f64> = order.iter().map(|i| *i as f64).collect();
                entries(&node, &order, 0.0, cases);
            }
            "C" => match &ours.covariance {
                Covariance::Diagonal(c) => vector(&node, c, node.listed(cases), cases),
                Covariance::Full(c) => {
                    let rows: Vec<_> = node.listed(cases).iter().map(|r| r.listed(cases)).collect();
                    let own: Vec<f64> = c.iter().copied().collect();
                    vector(&node, &own, rows.concat(), cases);
                }
            },
            _ => cases.push(Case::ignored(node.at)),
        }
    }
    Ok(())
}

/// Compares numbers relative to the largest expected one.
fn vector(node: &Node<'_>, ours: &[f64], expected: Vec<Node<'_>>, cases: &mut Vec<Case>) {
    if !length(node, ours.len(), expected.len(), cases) {
        return;
    }
    let finite = expected.iter().filter_map(|v| v.extended().ok()).filter(|v| v.is_finite());
    let largest = finite.fold(0.0_f64, |largest, v| largest.max(v.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    for (own, listed) in ours.iter().zip(expected) {
        cases.push(listed.against(*own, |at, e| {
            Case::with_error(at, *own, e, distance(*own, e) / scale, STATE)
        }));
    }
}
