//! From evidence to verdicts: one function a claim, each with its criterion as pre-registered.

mod evidence;
mod guidance;
mod outcomes;
mod theory;

pub use evidence::{Evidence, Place};

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::claims::{Finding, Verdict};

/// What every claim's function returns.
type Judgement = (Verdict, String, Vec<Finding>);

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
    let small = |name: &str| places.iter().any(|p| p.task == name && p.scaled_down);
    let whole = |f: &Finding| !places.iter().any(|p| p.task == f.place);
    findings.iter().any(|f| {
        let all = whole(f) && places.iter().any(|p| p.in_paper && p.scaled_down);
        f.estimate.is_some() && (small(&f.place) || all)
    })
}

/// Judges one claim under one protocol.
///
/// # Errors
/// When a table lacks a column.
pub fn judge(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Result<Judgement, Stop> {
    Ok(match id {
        "S1" => outcomes::family(evidence, "warnings", |o| o != "loss", rng),
        "S2" => outcomes::family(evidence, "lifetime-3", |o| o != "loss", rng),
        "S3" => outcomes::family(evidence, "lifetime-2", |o| o != "win", rng),
        "S4" => outcomes::all_tie(evidence, "defects", rng),
        "S5" => outcomes::as_published(evidence, "bayesmark", rng),
        "S6" => guidance::smoother(evidence, rng),
        "S7" => outcomes::faster(evidence, rng),
        "S8" => guidance::falls(evidence, rng),
        "S9" => guidance::trade(evidence),
        "S10" => theory::bounds(evidence, rng),
        "S11" => guidance::selects(evidence, rng),
        "S12" => theory::flatter(evidence, rng),
        _ => (Verdict::NotTestable, format!("no code judges {id}"), Vec::new()),
    })
}
