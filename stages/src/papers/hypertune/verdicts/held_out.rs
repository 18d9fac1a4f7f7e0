//! Tables 1 to 4: held-out errors of HyperTune against each rival, and against the paper's.

use rand_chacha::ChaCha12Rng;

use super::evidence::{Evidence, Place};
use crate::{
    claims::Finding,
    papers::hypertune::runs::{EI, HYPERTUNE, held_out},
    stats::{
        alternative::Alternative,
        bootstrap::{interval, interval_of_two},
        effect::cliffs_delta,
        mann_whitney::MannWhitney,
        moments::mean,
    },
};

/// Means that differ by no more than this are a tie.
const TIE: f64 = 0.005;
/// How near to the paper's our error has to be.
const NEAR: f64 = 0.01;
/// Level of the one-sided test.
const LEVEL: f64 = 0.05;
/// The last of those that HyperTune's error is compared with.
pub const PAPER: &str = "the paper";

/// Where HyperTune meets a rival on a task; the paper's own number is met as `the paper`.
#[must_use]
pub fn against(task: &str, rival: &str) -> String {
    format!("{task} against {rival}")
}

/// HyperTune's error is lower than each rival's, by its mean and by a one-sided test, or ties; and it
/// is near to the paper's.
pub(super) fn as_published(
    evidence: &Evidence,
    place: &Place,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let Some(methods) = evidence.runs.of(&place.task) else {
        return vec![Finding::missing(&place.task, "its data cannot be had")];
    };
    let own = held_out(methods, HYPERTUNE);
    let mut findings = Vec::new();
    for rival in place.methods.iter().filter(|m| *m != HYPERTUNE && *m != EI) {
        let other = held_out(methods, rival);
        let name = against(&place.task, rival);
        if own.is_empty() || other.is_empty() {
            findings.push(Finding::missing(&name, "no run of it came to an end"));
            continue;
        }
        let difference = |a: &[f64], b: &[f64]| mean(a) - mean(b);
        let estimate = interval_of_two(&own, &other, rng, difference);
        let p = MannWhitney::new(&own, &other).p(Alternative::Less);
        let lower = estimate.value <= 0.0 && p < LEVEL;
        findings.push(Finding {
            place: name,
            in_paper: true,
            holds: Some(lower || estimate.value.abs() <= TIE),
            estimate: Some(estimate),
            effect: Some((cliffs_delta(&own, &other), "Cliff's δ")),
            text: format!("{:.4} against {:.4}, p {p:.3}", mean(&own), mean(&other)),
        });
    }
    let name = against(&place.task, PAPER);
    findings.push(match place.published.get(HYPERTUNE) {
        Some(paper) if !own.is_empty() => {
            let estimate = interval(&own, rng, mean);
            Finding {
                place: name,
                in_paper: true,
                holds: Some((estimate.value - paper).abs() <= NEAR),
                estimate: Some(estimate),
                effect: None,
                text: format!("{:.4}, the paper has {paper}", estimate.value),
            }
        }
        _ => Finding::missing(&name, "no run, or no number in the paper"),
    });
    findings
}
