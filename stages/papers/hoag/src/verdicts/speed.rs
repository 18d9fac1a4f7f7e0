//! Claims G3, G5 and G6 about speed, measured by CPU time.

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, order::median};

use super::{
    absent,
    evidence::{Evidence, Point, seconds_to},
};
use crate::problem::Model;

/// median(a) / median(b); 0 or ∞ if one side never reaches the target, NaN if neither does.
fn ratio(pairs: &[(f64, f64)]) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (a, b) = (median(&a), median(&b));
    if a.is_infinite() && b.is_infinite() { f64::NAN } else { a / b }
}

/// A ratio of times in words.
fn words(ratio: f64) -> String {
    if ratio.is_nan() {
        "neither arrives".to_owned()
    } else if ratio.is_infinite() {
        "only the other arrives".to_owned()
    } else if ratio == 0.0 {
        "the other never arrives".to_owned()
    } else {
        format!("{ratio:.2}")
    }
}

/// G3: each inexact sequence reaches 1e-2 and 1e-4 in less median time than exact.
pub(super) fn inexact_sooner(
    evidence: &Evidence,
    rules: &str,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model != Model::Multinomial);
    places
        .map(|place| {
            let mut worst: Option<stats::bootstrap::Estimate> = None;
            let mut texts = Vec::new();
            let mut open = false;
            for method in ["hoag-exponential", "hoag-cubic", "hoag-quadratic"] {
                let runs = evidence.pairs(&place.name, (rules, method), (rules, "hoag-exact"));
                if runs.is_empty() {
                    return absent(place, evidence, rules);
                }
                for target in [1e-2, 1e-4] {
                    let pairs: Vec<(f64, f64)> = runs
                        .iter()
                        .map(|(a, b)| (seconds_to(a, target), seconds_to(b, target)))
                        .collect();
                    let estimate = interval(&pairs, rng, ratio);
                    let name = method.trim_start_matches("hoag-");
                    texts.push(format!("{name} at {target:.0e}: {}", words(estimate.value)));
                    open |= estimate.value.is_nan();
                    if worst.is_none_or(|w| estimate.value > w.value) {
                        worst = Some(estimate);
                    }
                }
            }
            let Some(worst) = worst else { return absent(place, evidence, rules) };
            let text = format!("time against exact: {}", texts.join(", "));
            let found = Finding::new(&place.name, worst, text).in_paper(place.in_paper);
            let found = found.within(Region::below(1.0)).of_replicates();
            // If neither a sequence nor exact reaches the target, the others may still be slower.
            if open && found.met == Some(true) { found.met(None) } else { found }
        })
        .collect()
}

const OTHERS: [&str; 4] = ["grid", "random", "smbo", "iterdiff"];

/// G5: HOAG reaches 1e-2 in the smallest median time on a problem; the criterion counts the problems.
pub(super) fn fastest(evidence: &Evidence, rules: &str, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let headline = evidence.headline.as_str();
    let places = evidence.problems.iter().filter(|p| p.model != Model::Multinomial);
    places
        .map(|place| {
            let time = |run: &[Point]| seconds_to(run, 1e-2);
            let best = OTHERS
                .iter()
                .map(|method| {
                    let runs = evidence.runs(&place.name, headline, method);
                    (median(&runs.iter().map(|run| time(run)).collect::<Vec<_>>()), *method)
                })
                .filter(|(seconds, _)| !seconds.is_nan())
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((seconds, rival)) = best else { return absent(place, evidence, rules) };
            let runs = evidence.pairs(&place.name, (rules, "hoag-exponential"), (headline, rival));
            if runs.is_empty() {
                return absent(place, evidence, rules);
            }
            let pairs: Vec<_> = runs.iter().map(|(a, b)| (time(a), time(b))).collect();
            let estimate = interval(&pairs, rng, ratio);
            let arrives = if seconds.is_finite() {
                format!("{seconds:.3} s")
            } else {
                "which never arrives".to_owned()
            };
            let text = format!(
                "time against {rival}, the next best ({arrives}): {}",
                words(estimate.value)
            );
            Finding::new(&place.name, estimate, text)
                .in_paper(place.in_paper)
                .within(Region::below(1.0))
                .of_replicates()
                .effect(1.0 / estimate.value, "speed-up over the next best")
        })
        .collect()
}

/// G6: median CPU seconds per outer iteration, HOAG against Iterdiff, below 1.
pub(super) fn cheaper_iterations(
    evidence: &Evidence,
    rules: &str,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let headline = evidence.headline.as_str();
    evidence
        .problems
        .iter()
        .map(|place| {
            let each = |run: &[Point]| run.last().map_or(f64::NAN, |p| p.cpu_s / run.len() as f64);
            let runs =
                evidence.pairs(&place.name, (rules, "hoag-exponential"), (headline, "iterdiff"));
            if runs.is_empty() {
                return absent(place, evidence, rules);
            }
            let pairs: Vec<_> = runs.iter().map(|(a, b)| (each(a), each(b))).collect();
            let estimate = interval(&pairs, rng, ratio);
            let text = format!("{:.2} of Iterdiff's time per iteration", estimate.value);
            Finding::new(&place.name, estimate, text)
                .in_paper(place.in_paper)
                .within(Region::below(1.0))
                .of_replicates()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_bear_methods_that_never_arrive() {
        let inf = f64::INFINITY;
        assert_eq!(ratio(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), 0.5);
        assert_eq!(ratio(&[(1.0, inf), (2.0, inf), (3.0, 1.0)]), 0.0);
        assert_eq!(ratio(&[(inf, 1.0)]), inf);
        assert!(ratio(&[(inf, inf)]).is_nan());
    }
}
