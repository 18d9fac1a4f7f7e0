//! Derives verdicts from evidence: one function per claim, each with its criterion as pre-registered.

mod coverage;
pub mod evidence;
mod guidance;
mod outcomes;
pub mod simulated;
mod theory;

pub use evidence::{Evidence, Place};

use kit::claims::{Found, finding::Finding, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use self::{
    coverage::Coverage,
    evidence::{BOUNDS, ENDED, LANDSCAPE, POOLS, SENSITIVITY, STANDINGS, TIMES},
};

/// Whether a claim has a verdict under each protocol; the others are about the paper's theory.
#[must_use]
pub fn depends_on_protocol(id: &str) -> bool {
    !matches!(id, "S10" | "S12")
}

/// Whether one of these claims is about tasks of this family: about wins on them, or about all tasks.
#[must_use]
pub fn concern(claims: &[String], family: &str) -> bool {
    claims.iter().any(|id| match outcomes::criterion(id) {
        Some((own, _)) => own == family,
        None => id != "S10",
    })
}

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str, protocol: &str) -> Vec<String> {
    let runs = || vec![ENDED.at(protocol).role(), STANDINGS.at(protocol).role()];
    match id {
        "S6" => vec![POOLS.at(protocol).role()],
        "S7" => vec![TIMES.at(protocol).role()],
        "S8" => [vec![POOLS.at(protocol).role()], runs()].concat(),
        "S9" | "S11" => vec![SENSITIVITY.at(protocol).role()],
        "S10" => vec![BOUNDS.role()],
        "S12" => vec![LANDSCAPE.role()],
        _ => runs(),
    }
}

/// Whether a place that the verdict rests on was reduced in size against the paper. The theorems have no such
/// places: their cases are drawn.
#[must_use]
pub fn scaled_down(id: &str, findings: &[Finding], places: &[Place]) -> bool {
    if id == "S10" {
        return false;
    }
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

/// The findings about one claim under one protocol.
///
/// # Errors
/// If no function judges the claim.
pub fn find(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    if let Some(criterion) = outcomes::criterion(id) {
        return Ok((Rule::ThirdMayContradict, outcomes::family(evidence, criterion, rng)));
    }
    if let Some(coverage) = Coverage::of(id, evidence) {
        let findings = over(id, evidence, &coverage.told(), rng);
        let scaled_down = scaled_down(id, &findings, &evidence.places);
        return Ok(coverage.judged(findings, scaled_down));
    }
    Ok(match id {
        "S7" => (Rule::All, outcomes::faster(evidence, rng)),
        "S10" => (Rule::Each, theory::bounds(&evidence.bounds, rng)),
        _ => return Err(unjudged(id)),
    })
}

/// The findings about a claim over all data sets of the paper, of which `told` says how many there are.
fn over(id: &str, evidence: &Evidence, told: &str, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    match id {
        "S6" => vec![guidance::smoother(&guidance::sides(evidence), told, rng)],
        "S8" => vec![guidance::falls(&guidance::chances(evidence), told, rng)],
        "S9" => vec![guidance::trade(evidence, told, rng)],
        "S11" => guidance::selects(&guidance::leads(evidence), told, rng),
        "S12" => vec![theory::flatter(&theory::flattened(evidence), told, rng)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
