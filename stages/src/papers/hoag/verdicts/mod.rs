//! From evidence to verdicts: one function a claim, each with its criterion as pre-registered.

pub mod evidence;
mod speed;
mod theory;
mod validation;

use rand_chacha::ChaCha12Rng;

use self::evidence::{Evidence, Place};
use crate::claims::{Finding, Verdict, judge_each};

/// What every claim's function returns.
type Judgement = (Verdict, String, Vec<Finding>);

/// Whether a claim is about HOAG's own rules, so that each configuration has a verdict of its own.
#[must_use]
pub fn depends_on_rules(id: &str) -> bool {
    !matches!(id, "G1" | "G8" | "G9")
}

/// Whether a place that the verdict rests on was reduced against the paper.
#[must_use]
pub fn scaled_down(findings: &[Finding], problems: &[Place]) -> bool {
    let small = |name: &str| problems.iter().any(|p| p.name == name && p.scaled_down);
    findings.iter().any(|f| f.estimate.is_some() && small(&f.place))
}

/// Judges one claim under one configuration.
#[must_use]
pub fn judge(id: &str, evidence: &Evidence, rules: &str, rng: &mut ChaCha12Rng) -> Judgement {
    match id {
        "G1" => each(theory::gradient_error(evidence, rng)),
        "G2" => each(theory::stationarity(evidence, rules)),
        "G3" => each(speed::inexact_sooner(evidence, rules, rng)),
        "G4" => each(theory::oscillation(evidence, rules, rng)),
        "G5" => speed::fastest(evidence, rules, rng),
        "G6" => each(speed::cheaper_iterations(evidence, rules, rng)),
        "G7" => each(validation::flat(evidence, rules, rng)),
        "G8" => each(validation::smbo_stalls(evidence, rng)),
        "G9" => each(theory::unimodal(evidence)),
        "G10" => each(validation::many_hyper_parameters(evidence, rules, rng)),
        "G11" => each(validation::overfits(evidence, rules, rng)),
        _ => (Verdict::NotTestable, format!("no code judges {id}"), Vec::new()),
    }
}

fn each(findings: Vec<Finding>) -> Judgement {
    let (verdict, reason) = judge_each(&findings);
    (verdict, reason, findings)
}

/// Why a problem has no finding.
fn absent(place: &Place, evidence: &Evidence, rules: &str) -> Finding {
    let any = evidence
        .problems
        .iter()
        .any(|p| !evidence.runs(&p.name, rules, "hoag-exponential").is_empty());
    let why = if any {
        "its data cannot be had, or it is not run in this profile"
    } else {
        "not run under these rules in this profile"
    };
    Finding { in_paper: place.in_paper, ..Finding::missing(&place.name, why) }
}
