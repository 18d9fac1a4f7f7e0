//! Derives verdicts from evidence: one function per claim, each with its criterion as pre-registered.

pub mod evidence;
mod speed;
mod theory;
mod validation;

use kit::claims::{Found, finding::Finding, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use self::evidence::{
    CURVES, Evidence, GRADIENT_ERROR, LANDSCAPE, Place, STATIONARITY, Size, TIMES,
};

/// Whether a claim is about HOAG's own rules, so that each configuration has a verdict of its own.
#[must_use]
pub fn depends_on_rules(id: &str) -> bool {
    !matches!(id, "G1" | "G8" | "G9")
}

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<String> {
    match id {
        "G1" => vec![GRADIENT_ERROR.role()],
        "G2" => vec![STATIONARITY.role()],
        "G9" => vec![LANDSCAPE.role()],
        _ => vec![CURVES.role(), TIMES.role()],
    }
}

/// The sizes of a problem that a claim rests on.
fn sizes(id: &str) -> &'static [Size] {
    match id {
        "G1" => &[Size::Rows, Size::GradientError],
        "G2" => &[Size::Long],
        "G3" | "G4" | "G7" | "G11" => &[Size::Rows, Size::Iterations],
        "G8" => &[Size::Rows, Size::Rivals],
        "G9" => &[Size::Rows, Size::Landscape],
        _ => &[Size::Rows, Size::Iterations, Size::Rivals],
    }
}

/// The findings about one claim under one configuration.
///
/// # Errors
/// If no function judges the claim.
pub fn find(
    id: &str,
    evidence: &Evidence,
    rules: &str,
    rng: &mut ChaCha12Rng,
) -> Result<Found, Stop> {
    let (rule, findings) = match id {
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
    };
    let sized = |finding: Finding| {
        let own = |p: &&Place| {
            finding.place == p.name || finding.place.starts_with(&format!("{}, ", p.name))
        };
        let place = evidence.problems.iter().find(own);
        let reduced = |size: &Size| place.is_some_and(|place| place.reduced.contains(size));
        let small = sizes(id).iter().any(reduced);
        finding.scaled_down(small)
    };
    Ok((rule, findings.into_iter().map(sized).collect()))
}

/// The reason why a problem has no finding.
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
