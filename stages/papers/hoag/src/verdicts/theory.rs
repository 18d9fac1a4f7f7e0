//! Claims G1, G2, G4 and G9, which follow from the theorems and the shape of f.

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
    trends::regression::slope,
};

use super::{
    absent,
    evidence::{Evidence, Place, Point},
};
use crate::problem::Model;

/// Errors below this share of the exact gradient are rounding errors, and do not depend on ε.
const ROUNDING: f64 = 1e-11;

/// Points centred at their mean.
fn centred(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (x, y) = (mean(&x), mean(&y));
    points.into_iter().map(|point| (point.0 - x, point.1 - y)).collect()
}

/// G1: log-log slope of error against ε in [0.8, 1.2]. The theorem holds at every λ, and nothing is sampled: the interval
/// is over the λ of the config, which are no replicates, so that no number of them is asked for.
pub(super) fn gradient_error(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model != Model::Multinomial);
    places
        .map(|place| {
            let Some(rows) = evidence.gradient_errors.get(&place.name) else {
                return absent(place, evidence, &evidence.headline);
            };
            let mut lambdas: Vec<f64> = rows.iter().map(|row| row.lambda0).collect();
            lambdas.dedup();
            // The constant of O(ε) depends on λ, so that each λ has an intercept of its own.
            let fit = |chosen: &[f64]| {
                let points: Vec<(f64, f64)> = chosen
                    .iter()
                    .flat_map(|lambda| {
                        let own = rows.iter().filter(|row| row.lambda0 == *lambda);
                        let sound = own.filter(|row| row.error > ROUNDING * row.gradient);
                        centred(sound.map(|row| (row.epsilon.ln(), row.error.ln())).collect())
                    })
                    .collect();
                slope(&points)
            };
            let estimate = interval(&lambdas, rng, fit);
            let text = format!("slope {:.3}", estimate.value);
            Finding::new(&place.name, estimate, text)
                .in_paper(place.in_paper)
                .within(Region::between(0.8, 1.2))
        })
        .collect()
}

/// G2: the exact gradient mapping falls below 1e-6 of its start, for all three sequences. The theorem is
/// about a constant step, which decides when the headline's configuration is judged, while the headline's own
/// step is shown. The other variants are judged by their own step.
pub(super) fn stationarity(evidence: &Evidence, rules: &str) -> Vec<Finding> {
    let headline = rules == evidence.headline;
    let deciding = if headline { evidence.theorem_2.as_str() } else { rules };
    let places = || evidence.problems.iter().filter(|p| p.model != Model::Multinomial);
    let mut findings: Vec<Finding> = places()
        .map(|place| {
            let found = falls(evidence, place, deciding);
            found.map_or_else(|| absent(place, evidence, rules), |f| f.in_paper(place.in_paper))
        })
        .collect();
    if headline {
        let own = places().filter_map(|place| {
            let found = falls(evidence, place, rules)?;
            let name = format!("{}, step as in section 3", place.name);
            Some(Finding { place: name, ..found.in_paper(false) })
        });
        findings.extend(own);
    }
    findings
}

/// The final gradient mapping as a share of the initial one, in the worst run of the worst sequence.
fn falls(evidence: &Evidence, place: &Place, rules: &str) -> Option<Finding> {
    let rows = evidence.stationarity.get(&(place.name.clone(), rules.to_owned()))?;
    let share = |method: &str| {
        let of = rows.iter().filter(|row| row.method == method).map(|row| row.end / row.start);
        of.fold(0.0, f64::max)
    };
    let shares = ["hoag-exponential", "hoag-cubic", "hoag-quadratic"].map(|m| (m, share(m)));
    let worst = shares.iter().map(|s| s.1).fold(0.0, f64::max);
    let texts: Vec<_> =
        shares.iter().map(|(m, s)| format!("{} {s:.1e}", m.trim_start_matches("hoag-"))).collect();
    let text = format!("share of the start: {}", texts.join(", "));
    let estimate = Estimate::exact(worst, rows.len() / 3);
    Some(Finding::new(&place.name, estimate, text).within(Region::below(1e-6)))
}

/// How often f increases from one λ to the next.
fn rises(run: &[Point]) -> f64 {
    run.windows(2).filter(|pair| pair[1].suboptimality > pair[0].suboptimality).count() as f64
}

/// G4: f increases more often with quadratic tolerances than with exponential ones, on the first two problems
/// (the logistic ones).
pub(super) fn oscillation(evidence: &Evidence, rules: &str, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model == Model::Logistic);
    places
        .map(|place| {
            let pairs =
                evidence.pairs(&place.name, (rules, "hoag-quadratic"), (rules, "hoag-exponential"));
            let more: Vec<f64> = pairs.iter().map(|(q, e)| rises(q) - rises(e)).collect();
            if more.is_empty() {
                return absent(place, evidence, rules);
            }
            let estimate = interval(&more, rng, mean);
            let than = if estimate.value < 0.0 { "fewer" } else { "more" };
            let text = format!(
                "{:.1} {than} rises per run than with exponential tolerances",
                estimate.value.abs()
            );
            Finding::new(&place.name, estimate, text)
                .in_paper(place.in_paper)
                .within(Region::above(0.0))
                .of_replicates()
        })
        .collect()
}

/// Two values closer than this share are the same level: inner solves are not more accurate.
const LEVEL: f64 = 1e-9;

/// Number of local minima of a sequence, where levels count once and ends are included.
fn minima(values: &[f64]) -> usize {
    let mut levels: Vec<f64> = Vec::new();
    for &value in values {
        if levels.last().is_none_or(|last| (value - last).abs() > LEVEL * last.abs()) {
            levels.push(value);
        }
    }
    numerics::solve::optimum::count_local_minima(&levels)
}

/// G9: one local minimum on the grid, for the logistic problems.
pub(super) fn unimodal(evidence: &Evidence) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model == Model::Logistic);
    places
        .map(|place| {
            let Some(values) = evidence.landscapes.get(&place.name) else {
                return absent(place, evidence, &evidence.headline);
            };
            let found = minima(values) as f64;
            let text = format!("{found} local minima on {} points", values.len());
            Finding::new(&place.name, Estimate::exact(found, 1), text)
                .in_paper(place.in_paper)
                .within(Region::between(0.5, 1.5))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn each_lambda_has_an_intercept_of_its_own() {
        let line = |at: f64| -> Vec<(f64, f64)> {
            (0..3).map(|i| (f64::from(i) + at, f64::from(i) - 7.0 * at)).collect()
        };
        let both = [centred(line(0.0)), centred(line(3.0))].concat();
        assert!((slope(&both) - 1.0).abs() < 1e-12);
        assert!(slope(&[line(0.0), line(3.0)].concat()) < -1.0, "under one intercept it falls");
    }

    #[test]
    fn rises_on_two_splits_decide_nothing() {
        let answer = |splits: u32| {
            let place = Place {
                name: "p".to_owned(),
                in_paper: true,
                model: Model::Logistic,
                reduced: Vec::new(),
                reading_of: None,
            };
            let mut evidence = Evidence::without_tables(&[place], ["paper", "paper"]);
            for split in 0..splits {
                for method in ["hoag-quadratic", "hoag-exponential"] {
                    let point =
                        Point { suboptimality: 1.0, test: 1.0, validation: 1.0, cpu_s: 1.0 };
                    evidence.add("p", ("paper", method), split, vec![point; 3]);
                }
            }
            let mut rng = ChaCha12Rng::seed_from_u64(1);
            oscillation(&evidence, "paper", &mut rng).remove(0).answer(None)
        };
        assert_eq!((answer(2), answer(8)), (Answer::Open, Answer::No));
    }

    #[test]
    fn a_plateau_is_one_level() {
        assert_eq!(minima(&[5.0, 5.0 + 1e-12, 5.0, 3.0, 1.0, 4.0]), 1);
        assert_eq!(minima(&[5.0, 1.0, 5.0, 1.0, 5.0]), 2);
    }

    #[test]
    fn rises_are_counted() {
        let run = |values: &[f64]| -> Vec<Point> {
            let point =
                |&s: &f64| Point { suboptimality: s, test: 0.0, validation: 0.0, cpu_s: 0.0 };
            values.iter().map(point).collect()
        };
        assert_eq!(rises(&run(&[3.0, 1.0, 2.0, 0.5, 0.6])), 2.0);
        assert_eq!(rises(&run(&[3.0, 1.0])), 0.0);
    }
}
