//! From evidence to verdicts: one function a kind of claim, each with its criterion as pre-registered.

mod complexity;
mod convergence;
pub mod evidence;
pub mod held_out;

use rand_chacha::ChaCha12Rng;

use self::evidence::{Evidence, Place};
use crate::claims::{Finding, Verdict, judge_each};

/// What every claim's function returns.
type Judgement = (Verdict, String, Vec<Finding>);

/// The input that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> &'static str {
    match id {
        "T-CONV" => "areas",
        "T-FIG1" => "complexity",
        _ => "runs",
    }
}

/// Whether what the verdict rests on was reduced against the paper.
#[must_use]
pub fn scaled_down(id: &str, findings: &[Finding], places: &[Place]) -> bool {
    let tested = findings.iter().any(|f| f.estimate.is_some());
    let concerned = |p: &&Place| match id {
        "T-CONV" => p.figure.is_some(),
        "T-FIG1" => p.complexity,
        _ => p.claim.as_deref() == Some(id),
    };
    tested && places.iter().filter(concerned).any(|p| p.scaled_down)
}

/// Judges one claim.
#[must_use]
pub fn judge(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let findings = match id {
        "T-CONV" => convergence::ahead(evidence, rng),
        "T-FIG1" => complexity::rises(evidence, rng),
        _ => {
            let Some(place) = evidence.places.iter().find(|p| p.claim.as_deref() == Some(id))
            else {
                let why = "not run in this profile: no task of the config makes this claim";
                return (Verdict::NotTestable, why.to_owned(), Vec::new());
            };
            held_out::as_published(evidence, place, rng)
        }
    };
    let (verdict, reason) = judge_each(&findings);
    (verdict, reason, findings)
}
