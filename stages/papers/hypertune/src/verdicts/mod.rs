//! Derives verdicts from evidence: one function per kind of claim, each with its criterion as pre-registered.

pub mod complexity;
mod convergence;
pub mod evidence;
mod fits;
pub mod held_out;
pub mod line;
pub mod seconds;

use kit::claims::{
    Found,
    calibration::{Level, World},
    finding::Finding,
    rule::Rule,
};
use rand_chacha::ChaCha12Rng;

use self::evidence::{AREAS, COMPLEXITY, Evidence, Place, RUNS, SUBSETS, TAKEN};

/// The claim about Figure 1.
pub const FIGURE_1: &str = "T-FIG1";

/// The inputs that a claim rests on.
#[must_use]
pub fn rests_on(id: &str) -> Vec<String> {
    match id {
        "T-CONV" => vec![AREAS.role()],
        FIGURE_1 => vec![COMPLEXITY.role(), SUBSETS.role()],
        _ => vec![RUNS.role(), TAKEN.role()],
    }
}

/// Whether the evidence of the verdict was reduced in size against the paper.
#[must_use]
pub fn scaled_down(id: &str, places: &[Place]) -> bool {
    // Of the other claims each finding says this itself.
    id == FIGURE_1 && places.iter().any(|p| p.complexity && p.scaled_down)
}

/// Why a task that is in the config has no evidence: its profile leaves it out.
fn left_out(place: &Place) -> String {
    let task = &place.task;
    format!("this profile does not run {task}; `--set hypertune.tasks.{task}.runs=true` does")
}

/// The findings about one claim; `idle` are the tasks that the profile does not run.
#[must_use]
pub fn find(id: &str, evidence: &Evidence, idle: &[Place], rng: &mut ChaCha12Rng) -> Found {
    match id {
        "T-CONV" => {
            let mut findings = convergence::ahead(evidence, rng);
            let shown = idle.iter().filter(|place| place.figure.is_some());
            findings.extend(shown.map(|place| Finding::missing(&place.task, &left_out(place))));
            (Rule::Each, findings)
        }
        FIGURE_1 => (Rule::All, complexity::rises(evidence, rng)),
        _ => {
            let place = evidence.places.iter().find(|p| p.claim.as_deref() == Some(id));
            let absent = || {
                let own = idle.iter().find(|p| p.claim.as_deref() == Some(id));
                let none = || "no task of the config makes this claim".to_owned();
                vec![Finding::missing("held-out error", &own.map_or_else(none, left_out))]
            };
            let found = |place| held_out::as_published(evidence, place, rng);
            (Rule::All, place.map_or_else(absent, found))
        }
    }
}

/// What would be found in a world; nothing for claims whose findings are drawn about levels. `figure_1` are those of
/// T-FIG1, whose findings depend on more than values.
#[must_use]
pub fn simulate(
    id: &str,
    (evidence, figure_1): (&Evidence, &[Level]),
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Vec<Finding>> {
    if id == FIGURE_1 {
        return complexity::simulated(evidence, figure_1, world, rng);
    }
    let place = evidence.places.iter().find(|p| p.claim.as_deref() == Some(id))?;
    held_out::simulated(evidence, place, world, rng)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn a_task_that_the_profile_leaves_out_is_named_with_the_remedy() {
        let place = Place {
            task: "mlp-mnist".to_owned(),
            learner: "mlp".to_owned(),
            claim: Some("T-MLP".to_owned()),
            methods: Vec::new(),
            published: std::collections::BTreeMap::new(),
            figure: Some(5),
            complexity: true,
            scaled_down: false,
            reduced: Vec::new(),
        };
        let told = |id: &str, idle: &[Place]| {
            let mut rng = ChaCha12Rng::seed_from_u64(1);
            let (_, mut found) = find(id, &Evidence::new(&[]), idle, &mut rng);
            assert_eq!(found.len(), 1, "{id}");
            found.remove(0).text
        };
        let idle = [place];
        let why =
            "this profile does not run mlp-mnist; `--set hypertune.tasks.mlp-mnist.runs=true` does";
        assert_eq!((told("T-MLP", &idle).as_str(), told("T-CONV", &idle).as_str()), (why, why));
        assert_eq!(told("T-CNN", &idle), "no task of the config makes this claim");
    }
}
