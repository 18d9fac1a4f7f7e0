//! G7, G8, G10, G11: generalisation, stalling, and many hyper-parameters.

use rand_chacha::ChaCha12Rng;

use super::{
    absent,
    evidence::{Evidence, Place, Point},
};
use crate::{
    claims::Finding,
    papers::hoag::problem::Model,
    stats::{bootstrap::interval, order::median},
};

fn last(run: &[Point]) -> Option<&Point> {
    run.last()
}

fn finding(place: &Place, sample: &[f64], rng: &mut ChaCha12Rng) -> Finding {
    let estimate = interval(sample, rng, median);
    Finding {
        place: place.name.clone(),
        in_paper: place.in_paper,
        holds: None,
        estimate: Some(estimate),
        effect: None,
        text: String::new(),
    }
}

/// G7: from the first λ within 1e-2 to the end of the run, the validation loss changes by less
/// than 1%.
pub(super) fn flat(evidence: &Evidence, rules: &str, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model != Model::Multinomial);
    places
        .map(|place| {
            let runs = evidence.runs(&place.name, rules, "hoag-exponential");
            let change = |run: &&[Point]| {
                let hit = run.iter().find(|point| point.suboptimality <= 1e-2)?;
                Some((last(run)?.validation - hit.validation).abs() / hit.validation)
            };
            let changes: Vec<f64> = runs.iter().filter_map(change).collect();
            if changes.is_empty() {
                return absent(place, evidence, rules);
            }
            let base = finding(place, &changes, rng);
            let value = base.estimate.map_or(f64::NAN, |e| e.value);
            let (n, all) = (changes.len(), runs.len());
            let text =
                format!("changes by {:.3}% ({n} of {all} runs got within 1e-2)", 100.0 * value);
            Finding { holds: Some(value < 0.01), text, ..base }
        })
        .collect()
}

/// G8: on Parkinson's, SMBO reaches 1e-1 within five evaluations and ends above 1e-3.
pub(super) fn smbo_stalls(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model == Model::KernelRidge);
    places
        .map(|place| {
            let runs = evidence.runs(&place.name, &evidence.headline, "smbo");
            let ends: Vec<f64> =
                runs.iter().filter_map(|run| Some(last(run)?.suboptimality)).collect();
            let fifth = |run: &&[Point]| run.get(4).map(|point| point.suboptimality);
            let early = median(&runs.iter().filter_map(fifth).collect::<Vec<_>>());
            if ends.is_empty() {
                return absent(place, evidence, &evidence.headline);
            }
            let base = finding(place, &ends, rng);
            let end = base.estimate.map_or(f64::NAN, |e| e.value);
            let text = format!("{early:.1e} after five evaluations, {end:.1e} at the end");
            Finding { holds: Some(end > 1e-3 && early <= 1e-1), text, ..base }
        })
        .collect()
}

/// G10: final outer loss HOAG < Iterdiff < random search and SMBO.
pub(super) fn many_hyper_parameters(
    evidence: &Evidence,
    rules: &str,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model == Model::Multinomial);
    places
        .map(|place| {
            let end = |rules: &str, method: &str| {
                let runs = evidence.runs(&place.name, rules, method);
                median(&runs.iter().filter_map(|run| Some(last(run)?.test)).collect::<Vec<_>>())
            };
            let ours = evidence.runs(&place.name, rules, "hoag-exponential");
            let ends: Vec<f64> = ours.iter().filter_map(|run| Some(last(run)?.test)).collect();
            if ends.is_empty() {
                return absent(place, evidence, rules);
            }
            let base = finding(place, &ends, rng);
            let hoag = base.estimate.map_or(f64::NAN, |e| e.value);
            let [iterdiff, random, smbo] = ["iterdiff", "random", "smbo"].map(|m| end(&evidence.headline, m));
            let order = hoag < iterdiff && iterdiff < random.min(smbo);
            let known = [hoag, iterdiff, random, smbo].iter().all(|v| v.is_finite());
            let text = format!(
                "outer loss HOAG {hoag:.1}, Iterdiff {iterdiff:.1}, random {random:.1}, SMBO {smbo:.1}"
            );
            Finding { holds: known.then_some(order), text, ..base }
        })
        .collect()
}

/// G11: the validation loss has its minimum before the end and ends more than 1% above it.
pub(super) fn overfits(evidence: &Evidence, rules: &str, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let places = evidence.problems.iter().filter(|p| p.model == Model::Multinomial);
    places
        .map(|place| {
            let rise = |run: &&[Point]| {
                let lowest = run.iter().map(|point| point.validation).fold(f64::INFINITY, f64::min);
                Some(last(run)?.validation / lowest - 1.0)
            };
            let runs = evidence.runs(&place.name, rules, "hoag-exponential");
            let rises: Vec<f64> = runs.iter().filter_map(rise).collect();
            if rises.is_empty() {
                return absent(place, evidence, rules);
            }
            let base = finding(place, &rises, rng);
            let value = base.estimate.map_or(f64::NAN, |e| e.value);
            let text = format!("validation loss ends {:.2}% above its minimum", 100.0 * value);
            Finding { holds: Some(value > 0.01), text, ..base }
        })
        .collect()
}
