//! Derives findings from tables: one function per claim, each with its criterion as pre-registered.

mod components;
pub mod evidence;
mod methods;
pub mod simulated;
mod times;
mod widths;

use kit::claims::{Found, finding::Finding, unjudged};
use pipeline::stage::Stop;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
};

use self::evidence::{COMPONENTS, Evidence, RUNS, SHIFTED, TIMES, WIDTHS};

/// The recommended setting, and its rivals in claim P12.
pub const COMPARED: [&str; 5] =
    ["recommended", "optuna-joint", "optuna-separate", "hyperopt", "random"];

/// Resamples of targets, and the share of them below which a condition counts as missed.
const RESAMPLES: usize = 1000;
const SELDOM: f64 = 0.05;

/// The findings about one claim, and the rule that combines them into one answer.
///
/// # Errors
/// If no function here judges it.
pub fn find(id: &str, all: &Evidence, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    Ok(match id {
        "P1" => methods::joint(all),
        "P2" => components::joint_on_tables(all, rng),
        "P3" => {
            let masses = components::clipping_among_the_best(all, rng);
            let excluded = masses.iter().any(|(group, found)| components::reversed(group, found));
            let (rule, mut findings) = methods::clipping(all, excluded, rng);
            findings.extend(masses.into_iter().map(|(_, found)| found));
            (rule, findings)
        }
        "P4" => components::prior(all, rng),
        "P5" => components::weighting(all, rng),
        "P6" => widths::small_groups(all, rng),
        "P7" => widths::heavy_clipping(all, rng),
        "P8" => widths::exponent_first(all, rng),
        "P9" => widths::heuristic(all, rng),
        "P10" => widths::widest(all, rng),
        "P11" => widths::splitting(all, rng),
        "P12" => methods::recommended(all, rng),
        "P13" => methods::adapted(all),
        "P14" => times::times(all, rng),
        _ => return Err(unjudged(id)),
    })
}

/// The roles of the tables that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<String> {
    match id {
        "P2" => vec![COMPONENTS.role()],
        "P4" => vec![COMPONENTS.role(), SHIFTED.role()],
        "P5" => vec![COMPONENTS.role(), RUNS.role()],
        "P11" => vec![COMPONENTS.role(), WIDTHS.role()],
        "P14" => vec![TIMES.role()],
        "P3" => vec![RUNS.role(), COMPONENTS.role()],
        "P1" | "P12" | "P13" => vec![RUNS.role()],
        _ => vec![WIDTHS.role()],
    }
}

/// The methods that a claim compares; none if its verdict rests on other evidence.
#[must_use]
pub fn methods_of(id: &str) -> &'static [&'static str] {
    match id {
        "P1" => &["joint-clipped", "joint-plain", "separate-clipped", "separate-plain"],
        "P3" => &["joint-clipped", "joint-plain"],
        "P12" => &COMPARED,
        "P13" => &["adapted", "recommended"],
        _ => &[],
    }
}

/// The mean of a value over targets, as a finding in a place; a missing one if there is no target.
fn over_targets(
    place: &str,
    values: &[f64],
    rng: &mut ChaCha12Rng,
    text: impl FnOnce(&Estimate) -> String,
) -> Finding {
    if values.is_empty() {
        return absent(place);
    }
    let estimate = interval(values, rng, mean);
    let text = text(&estimate);
    Finding::new(place, estimate, text)
}

/// The share of resamples of `n` targets in which a condition on targets holds.
fn share_of_resamples(n: usize, holds: impl Fn(&[usize]) -> bool, rng: &mut ChaCha12Rng) -> f64 {
    let resample = |_| {
        let rows: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
        f64::from(holds(&rows))
    };
    mean(&(0..RESAMPLES).map(resample).collect::<Vec<_>>())
}

/// Whether a condition on the means over `n` targets is met. Means scatter with the targets: one that is not met is
/// missed only if hardly any resample of the targets meets it, and otherwise open.
fn met_or_open(n: usize, holds: impl Fn(&[usize]) -> bool, rng: &mut ChaCha12Rng) -> Option<bool> {
    let all: Vec<usize> = (0..n).collect();
    if holds(&all) {
        return Some(true);
    }
    (share_of_resamples(n, holds, rng) < SELDOM).then_some(false)
}

/// The mean of some of the values.
fn mean_of(values: &[f64], rows: &[usize]) -> f64 {
    mean(&rows.iter().map(|&row| values[row]).collect::<Vec<_>>())
}

fn absent(place: &str) -> Finding {
    Finding::missing(place, "nothing was run there")
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
