//! Checks the sections of the aggregates format about pairs: intervals of a mean difference, and the Bayesian
//! signed-rank test.

use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use stats::{
    moments::mean, order::median, rank_tests::bayesian_signed_rank::BayesianSignedRanks,
    resampling::Resampled, student::StudentMean,
};

use super::compare::{ABSOLUTE, one_or_all};
use crate::{
    Error,
    case::{Case, keep},
    node::Node,
};

/// Tolerance of quantiles of resampled values, and of corrected ends.
const QUANTILES: f64 = 1e-9;
/// Tolerance of p values.
const P: f64 = 1e-12;
/// Number of draws of the posterior, and the seed of ours.
const DRAWS: usize = 200_000;
const SEED: u64 = 2014;

/// The differences of a case, the first sample less the second.
fn differences(item: &Node<'_>) -> Result<Vec<f64>, Error> {
    let (x, y) = (item.need("x")?.each(Node::extended)?, item.need("y")?.each(Node::extended)?);
    if x.len() != y.len() || x.is_empty() {
        return Err(Error::Shape { at: item.at.clone(), expected: "pairs of x and y" });
    }
    Ok(x.iter().zip(&y).map(|(x, y)| x - y).collect())
}

/// Intervals of the mean and the median of differences.
pub(super) fn intervals(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let sample = differences(item)?;
    let level = item.need("confidence")?.number()?;
    let resamples = item.need("resamples")?.each(|row| row.each(Node::whole))?;
    if resamples.iter().flatten().any(|place| *place >= sample.len()) {
        let expected = "places in the sample";
        return Err(Error::Shape { at: format!("{}/resamples", item.at), expected });
    }
    let student = StudentMean::new(&sample, level);
    for (key, node) in item.need("expected")?.members()? {
        let (ours, tolerance) = match key {
            "n" => (vec![sample.len() as f64], 0.0),
            "mean_difference" => (vec![student.mean], ABSOLUTE),
            "sd" => (vec![student.deviation], ABSOLUTE),
            "t_interval" => (vec![student.low, student.high], ABSOLUTE),
            "t_statistic" => (vec![student.t], ABSOLUTE),
            "p_two_sided" => (vec![student.p], P),
            "bootstrap" => {
                for (statistic, node) in node.members()? {
                    let found = match statistic {
                        "mean" => Resampled::new(&sample, &resamples, mean),
                        "median" => Resampled::new(&sample, &resamples, median),
                        _ => {
                            cases.push(Case::not_understood(node.at));
                            continue;
                        }
                    };
                    keep(bootstrap(&node, &found, level, cases), cases);
                }
                continue;
            }
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        one_or_all(&node, &ours, tolerance, cases);
    }
    Ok(())
}

fn bootstrap(
    expected: &Node<'_>,
    found: &Resampled,
    level: f64,
    cases: &mut Vec<Case>,
) -> Result<(), Error> {
    let (alpha_low, alpha_high) = found.corrected_levels(level);
    let both = |(low, high): (f64, f64)| vec![low, high];
    for (key, node) in expected.members()? {
        let (ours, tolerance) = match key {
            "estimate" => (vec![found.value], ABSOLUTE),
            "resample_estimates" => (found.values.clone(), ABSOLUTE),
            "standard_error" => (vec![found.standard_error()], ABSOLUTE),
            "z0" => (vec![found.bias()], ABSOLUTE),
            "acceleration" => (vec![found.acceleration()], ABSOLUTE),
            "alpha_lower" => (vec![alpha_low], ABSOLUTE),
            "alpha_upper" => (vec![alpha_high], ABSOLUTE),
            "percentile" => (both(found.percentile(level)), QUANTILES),
            "basic" => (both(found.basic(level)), QUANTILES),
            "bca" => (both(found.corrected(level)), QUANTILES),
            _ => {
                cases.push(Case::ignored(node.at));
                continue;
            }
        };
        one_or_all(&node, &ours, tolerance, cases);
    }
    Ok(())
}

/// The Bayesian signed-rank test; "right" means that y is larger.
pub(super) fn bayesian(item: &Node<'_>, cases: &mut Vec<Case>) -> Result<(), Error> {
    let sample: Vec<f64> = differences(item)?.iter().map(|d| -d).collect();
    let (rope, prior) = (item.need("rope")?.number()?, item.need("prior_strength")?.number()?);
    let test = BayesianSignedRanks::new(&sample, rope, prior);
    let means = test.means();
    let sampled = test.sampled(DRAWS, &mut ChaCha12Rng::seed_from_u64(SEED));
    let expected = item.need("expected")?;
    // Without their errors, those of as many draws as ours.
    let errors =
        expected.get("standard_errors").map(|node| node.each(Node::extended)).transpose()?;
    for (key, node) in expected.given()? {
        let side = |name: &str| ["left", "rope", "right"].iter().position(|side| *side == name);
        if let Some(at) = key.strip_prefix("mean_theta_").and_then(side) {
            one_or_all(&node, &[means[at]], P, cases);
        } else if let Some(at) = key.strip_prefix("p_").and_then(side) {
            // An estimate of 0 or 1 also has an error: that of one draw.
            let own = sampled[at].clamp(1.0 / DRAWS as f64, 1.0 - 1.0 / DRAWS as f64);
            let ours = (own * (1.0 - own) / DRAWS as f64).sqrt();
            let theirs = errors.as_ref().map_or(ours, |all| all.get(at).copied().unwrap_or(0.0));
            cases.push(node.absolute(sampled[at], 4.0 * ours.hypot(theirs)));
        } else {
            match (key, test.exact()) {
                ("closed_form", Some(exact)) => one_or_all(&node, &exact, P, cases),
                ("standard_errors" | "draws" | "baycomp_20000_draws" | "closed_form", _) => {}
                _ => cases.push(Case::ignored(node.at)),
            }
        }
    }
    Ok(())
}
