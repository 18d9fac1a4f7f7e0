//! Derives verdicts from evidence: one function per kind of claim, each with its criterion as pre-registered.

mod complexity;
mod convergence;
pub mod evidence;
pub mod held_out;
pub mod seconds;

use kit::claims::{Found, calibration::World, finding::Finding, rule::Rule};
use rand_chacha::ChaCha12Rng;

use self::evidence::{AREAS, COMPLEXITY, Evidence, Place, RUNS, TAKEN};

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<String> {
    match id {
        "T-CONV" => vec![AREAS.role()],
        "T-FIG1" => vec![COMPLEXITY.role()],
        _ => vec![RUNS.role(), TAKEN.role()],
    }
}

/// Whether the evidence of the verdict was reduced in size against the paper.
#[must_use]
pub fn scaled_down(id: &str, places: &[Place]) -> bool {
    let concerned = |p: &&Place| match id {
        "T-CONV" => p.figure.is_some(),
        "T-FIG1" => p.complexity,
        // Each finding says this itself.
        _ => false,
    };
    places.iter().filter(concerned).any(|p| p.scaled_down)
}

/// The findings about one claim.
#[must_use]
pub fn find(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    match id {
        "T-CONV" => (Rule::Each, convergence::ahead(evidence, rng)),
        "T-FIG1" => (Rule::All, complexity::rises(evidence, rng)),
        _ => {
            let place = evidence.places.iter().find(|p| p.claim.as_deref() == Some(id));
            let why = "not run in this profile: no task of the config makes this claim";
            let absent = || vec![Finding::missing("held-out error", why)];
            let found = |place| held_out::as_published(evidence, place, rng);
            (Rule::All, place.map_or_else(absent, found))
        }
    }
}

/// What would be found in a world; nothing for claims whose findings are drawn about levels.
#[must_use]
pub fn simulate(
    id: &str,
    evidence: &Evidence,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Vec<Finding>> {
    let place = evidence.places.iter().find(|p| p.claim.as_deref() == Some(id))?;
    held_out::simulated(evidence, place, world, rng)
}
