//! Derives verdicts from evidence: one function per claim, each with its criterion as pre-registered.

pub mod evidence;
mod guidance;
mod outcomes;
pub mod simulated;
mod theory;

pub use evidence::{Evidence, Place};

use kit::claims::{Found, finding::Finding, rule::Rule, unjudged};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use self::evidence::{BOUNDS, LANDSCAPE, OUTCOMES, POOLS, RUNS, SENSITIVITY, STANDINGS, TIMES};

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
    let runs = || {
        let (standings, outcomes) = (STANDINGS.at(protocol), OUTCOMES.at(protocol));
        vec![RUNS.at(protocol).role(), standings.role(), outcomes.role()]
    };
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
    Ok(match id {
        "S6" => (Rule::All, vec![guidance::smoother(&guidance::sides(evidence), rng)]),
        "S7" => (Rule::All, outcomes::faster(evidence, rng)),
        "S8" => (Rule::All, vec![guidance::falls(&guidance::chances(evidence), rng)]),
        "S9" => (Rule::All, vec![guidance::trade(evidence, rng)]),
        "S10" => (Rule::Each, theory::bounds(&evidence.bounds, rng)),
        "S11" => (Rule::All, guidance::selects(&guidance::leads(evidence), rng)),
        "S12" => (Rule::All, vec![theory::flatter(&theory::pairs(evidence))]),
        _ => return Err(unjudged(id)),
    })
}

#[cfg(test)]
mod tests {
    use stats::bootstrap::Estimate;

    use super::*;

    fn place(task: &str, in_paper: bool, scaled_down: bool) -> Place {
        let (task, family, published) = (task.to_owned(), "warnings".to_owned(), None);
        Place { task, family, in_paper, software: true, published, scaled_down }
    }

    #[test]
    fn claims_about_wins_concern_a_family_and_the_theorems_none() {
        let concern = |id: &str, family: &str| concern(&[id.to_owned()], family);
        assert!(concern("S1", "warnings") && !concern("S1", "defects"));
        assert!(concern("S4", "defects") && concern("S8", "defects"));
        assert!(!concern("S10", "warnings") && !super::concern(&[], "warnings"));
    }

    #[test]
    fn a_claim_is_scaled_down_by_the_places_that_it_rests_on() {
        let found = |place: &str| {
            Finding::new(place, Estimate::exact(1.0, 5), String::new()).met(Some(true))
        };
        let places = [place("ant", true, true), place("derby", true, false)];
        let down = |id: &str, finding: Finding| scaled_down(id, &[finding], &places);
        assert!(down("S1", found("ant")) && !down("S1", found("derby")));
        assert!(down("S7", found("ant, BOHB")) && !down("S7", found("derby, BOHB")));
        // Of all data sets together one is enough, unless it is outside the paper.
        assert!(down("S6", found("all data sets")));
        let outside = [place("ant", false, true), place("derby", true, false)];
        assert!(!scaled_down("S6", &[found("all data sets")], &outside));
        assert!(!down("S1", found("ant").in_paper(false)));
        assert!(!down("S1", Finding::missing("ant", "no data")));
        assert!(!down("S10", found("Theorem 1")));
    }

    #[test]
    fn what_a_claim_rests_on_is_of_its_protocol() {
        assert_eq!(rests_on("S6", "honest"), [POOLS.at("honest").role()]);
        assert_eq!(rests_on("S8", "code").len(), 4);
        assert!(rests_on("S1", "code").contains(&OUTCOMES.at("code").role()));
        for id in ["S10", "S12"] {
            assert!(!depends_on_protocol(id));
            assert_eq!(rests_on(id, "honest"), rests_on(id, "code"));
        }
    }
}
