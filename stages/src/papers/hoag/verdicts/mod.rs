//! From evidence to verdicts: one function a claim, each with its criterion as pre-registered.

pub mod evidence;
mod speed;
mod theory;
mod validation;

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use self::evidence::{Evidence, Place};
use crate::claims::{Found, finding::Finding, rule::Rule, unjudged};

/// Whether a claim is about HOAG's own rules, so that each configuration has a verdict of its own.
#[must_use]
pub fn depends_on_rules(id: &str) -> bool {
    !matches!(id, "G1" | "G8" | "G9")
}

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> &'static [&'static str] {
    match id {
        "G1" => &["gradient-error"],
        "G2" => &["stationarity"],
        "G9" => &["landscape"],
        _ => &["curves", "times"],
    }
}

/// Whether a place that the verdict rests on was reduced against the paper.
#[must_use]
pub fn scaled_down(findings: &[Finding], problems: &[Place]) -> bool {
    let small = |place: &str| {
        let own = |p: &&Place| place == p.name || place.starts_with(&format!("{}, ", p.name));
        problems.iter().find(own).is_some_and(|p| p.scaled_down)
    };
    findings.iter().any(|f| f.in_paper && f.estimate.is_some() && small(&f.place))
}

/// What is found about one claim under one configuration.
///
/// # Errors
/// When no function judges the claim.
pub fn find(
    id: &str,
    evidence: &Evidence,
    rules: &str,
    rng: &mut ChaCha12Rng,
) -> Result<Found, Stop> {
    Ok(match id {
        "G1" => (Rule::Each, theory::gradient_error(evidence, rng)),
        "G2" => (Rule::Each, theory::stationarity(evidence, rules)),
        "G3" => (Rule::Each, speed::inexact_sooner(evidence, rules, rng)),
        "G4" => (Rule::Each, theory::oscillation(evidence, rules, rng)),
        "G5" => (Rule::AtLeast(2), speed::fastest(evidence, rules, rng)),
        "G6" => (Rule::Each, speed::cheaper_iterations(evidence, rules, rng)),
        "G7" => (Rule::Each, validation::flat(evidence, rules, rng)),
        "G8" => (Rule::All, validation::smbo_stalls(evidence, rng)),
        "G9" => (Rule::Each, theory::unimodal(evidence)),
        "G10" => (Rule::All, validation::many_hyper_parameters(evidence, rules, rng)),
        "G11" => (Rule::Each, validation::overfits(evidence, rules, rng)),
        _ => return Err(unjudged(id)),
    })
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
    Finding::missing(&place.name, why).in_paper(place.in_paper)
}
