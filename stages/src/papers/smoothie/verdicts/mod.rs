//! From evidence to verdicts: one function a claim, each with its criterion as pre-registered.

mod evidence;
mod guidance;
mod outcomes;
mod theory;

pub use evidence::{Evidence, Place};

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::claims::{finding::Finding, rule::Rule, unjudged};

/// What was found about a claim, and how that makes one answer.
type Found = (Rule, Vec<Finding>);

/// Whether a claim has a verdict under each protocol; the others are about the paper's theory.
#[must_use]
pub fn depends_on_protocol(id: &str) -> bool {
    !matches!(id, "S10" | "S12")
}

/// The input that a claim rests on.
#[must_use]
pub fn rests_on(id: &str, protocol: &str) -> String {
    match id {
        "S6" => format!("pools {protocol}"),
        "S7" => format!("times {protocol}"),
        "S9" | "S11" => format!("sensitivity {protocol}"),
        "S10" => "bounds".to_owned(),
        "S12" => "landscape".to_owned(),
        _ => format!("standings {protocol}"),
    }
}

/// Whether a place that the verdict rests on was reduced against the paper.
#[must_use]
pub fn scaled_down(findings: &[Finding], places: &[Place]) -> bool {
    let place = |f: &Finding| {
        let own = |p: &&Place| f.place == p.task || f.place.starts_with(&format!("{}, ", p.task));
        places.iter().find(own)
    };
    let any = || places.iter().any(|p| p.in_paper && p.scaled_down);
    findings
        .iter()
        .filter(|f| f.in_paper && f.estimate.is_some())
        .any(|f| place(f).map_or_else(any, |p| p.scaled_down))
}

/// What is found about one claim under one protocol.
///
/// # Errors
/// When no function judges the claim.
pub fn find(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    let by_task = Rule::ThirdMayContradict;
    Ok(match id {
        "S1" => (by_task, outcomes::family(evidence, "warnings", |o| o != "loss", rng)),
        "S2" => (by_task, outcomes::family(evidence, "lifetime-3", |o| o != "loss", rng)),
        "S3" => (by_task, outcomes::family(evidence, "lifetime-2", |o| o != "win", rng)),
        "S4" => (by_task, outcomes::all_tie(evidence, "defects", rng)),
        "S5" => (by_task, outcomes::as_published(evidence, "bayesmark", rng)),
        "S6" => (Rule::All, vec![guidance::smoother(evidence, rng)]),
        "S7" => (Rule::All, outcomes::faster(evidence, rng)),
        "S8" => (Rule::All, vec![guidance::falls(evidence, rng)]),
        "S9" => (Rule::All, vec![guidance::trade(evidence, rng)]),
        "S10" => (Rule::Each, theory::bounds(evidence, rng)),
        "S11" => (Rule::All, guidance::selects(evidence, rng)),
        "S12" => (Rule::All, vec![theory::flatter(evidence, rng)]),
        _ => return Err(unjudged(id)),
    })
}
