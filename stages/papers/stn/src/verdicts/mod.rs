//! Derives verdicts from tables: one function per claim, each with its criterion as pre-registered.

mod courses;
pub mod evidence;
mod exact;
mod fixed_grid;
mod images;
mod perplexities;
pub mod simulated;
mod text;

use kit::claims::{Found, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use self::evidence::{Evidence, GATED, IMAGES_ANYTIME, IMAGES_RACE, IMAGES_SENSITIVITY, QUADRATIC};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<String> {
    let other = match id {
        "N1" => Some(GATED.role()),
        "N2" => Some(QUADRATIC.role()),
        "N8" => Some(IMAGES_RACE.role()),
        "N9" => Some(IMAGES_ANYTIME.role()),
        "N11" => Some(IMAGES_SENSITIVITY.role()),
        _ => None,
    };
    other.into_iter().chain(text::rests_on(id)).collect()
}

/// How a criterion combines its findings: separate places, or parts that all count.
fn rule(id: &str) -> Option<Rule> {
    Some(match id {
        "N1" | "N3" | "N6" => Rule::Each,
        "N2" | "N4" | "N5" | "N7" | "N8" | "N9" | "N10" | "N11" => Rule::All,
        _ => return None,
    })
}

/// The findings about one claim.
///
/// # Errors
/// If no function judges the claim.
pub fn find(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    let rule = rule(id).ok_or_else(|| unjudged(id))?;
    let found = match id {
        "N1" => evidence.gated.as_deref().map(exact::gated),
        "N2" => evidence.quadratic.as_deref().map(exact::quadratic),
        "N8" => evidence.images_race.as_deref().map(|rows| images::order(rows, rng)),
        "N9" => evidence.images_anytime.as_deref().map(|rows| images::anytime(rows, rng)),
        "N11" => evidence.images_sensitivity.as_deref().map(|rows| images::sensitivity(rows, rng)),
        _ => None,
    };
    let mut findings = found.unwrap_or_default();
    findings.extend(text::judge(id, evidence, rng));
    Ok((rule, findings))
}
