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
use crate::problem::Model;

/// Whether a claim is about HOAG's own rules, so that each variant has a verdict of its own.
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

/// Whether one of these claims is about problems of this model.
#[must_use]
pub fn concern(claims: &[String], model: Model) -> bool {
    claims.iter().any(|id| match id.as_str() {
        "G8" => model == Model::KernelRidge,
        "G10" | "G11" => model == Model::Multinomial,
        "G6" => true,
        _ => model != Model::Multinomial,
    })
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

/// The findings about one claim under one variant.
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

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::tables::curves::{self, Reached, RunName, Taken};

    const RULES: &str = "paper";

    fn problem(name: &str, reduced: &[Size]) -> Place {
        let (in_paper, model) = (true, Model::Logistic);
        Place {
            name: name.to_owned(),
            in_paper,
            model,
            reduced: reduced.to_vec(),
            reading_of: None,
        }
    }

    fn evidence(reduced: &[Size]) -> Evidence {
        Evidence::without_tables(&[problem("p", reduced)], [RULES, "paper-constant-L"])
    }

    /// Ten runs that arrive at 1e-4 after about so many seconds.
    fn add(evidence: &mut Evidence, method: &str, seconds: f64) {
        for split in 0..10 {
            let (rules, method) = (RULES.to_owned(), method.to_owned());
            let run = RunName { rules, method, split };
            let at = curves::RunStep { problem: "p".to_owned(), run, step: 0 };
            let reached = Reached {
                at: at.clone(),
                lambda0: 0.0,
                inner_iterations: 0,
                suboptimality: 1e-4,
                test_loss: 1.0,
                validation_loss: 1.0,
            };
            let cpu_s = seconds * (1.0 + 0.01 * f64::from(split % 3));
            evidence.join(vec![reached], vec![Taken { at, cpu_s, wall_s: cpu_s }]).unwrap();
        }
    }

    fn found(id: &str, evidence: &Evidence) -> Finding {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let (_, mut findings) = find(id, evidence, RULES, &mut rng).unwrap();
        assert_eq!(findings.len(), 1, "one problem");
        findings.remove(0)
    }

    /// What comes of it that each sequence takes so many times as long as exact gradients.
    fn sooner(factors: [f64; 3]) -> Answer {
        let mut evidence = evidence(&[]);
        add(&mut evidence, "hoag-exact", 1.0);
        for (method, factor) in ["exponential", "quadratic", "cubic"].into_iter().zip(factors) {
            add(&mut evidence, &format!("hoag-{method}"), factor);
        }
        found("G3", &evidence).answer(None)
    }

    #[test]
    fn every_inexact_sequence_has_to_be_sooner_than_exact() {
        assert_eq!(sooner([0.5, 0.6, 0.7]), Answer::Yes);
        for slow in 0..3 {
            let mut factors = [0.5; 3];
            factors[slow] = 2.0;
            assert_eq!(sooner(factors), Answer::No, "{slow}");
        }
        assert_eq!(found("G3", &evidence(&[])).answer(None), Answer::Untested);
    }

    #[test]
    fn the_least_time_of_the_others_is_what_counts() {
        let against = |rivals: [f64; 4]| {
            let mut evidence = evidence(&[]);
            add(&mut evidence, "hoag-exponential", 1.0);
            for (rival, seconds) in ["grid", "random", "smbo", "iterdiff"].into_iter().zip(rivals) {
                add(&mut evidence, rival, seconds);
            }
            found("G5", &evidence).answer(None)
        };
        assert_eq!(against([2.0, 3.0, 4.0, 5.0]), Answer::Yes);
        assert_eq!(against([9.0, 9.0, 9.0, 0.5]), Answer::No);
    }

    #[test]
    fn f_has_one_minimum_or_the_claim_fails() {
        let minima = |values: &[f64]| {
            let mut evidence = evidence(&[]);
            evidence.landscapes.insert("p".to_owned(), values.to_vec());
            found("G9", &evidence).answer(None)
        };
        assert_eq!(minima(&[3.0, 2.0, 1.0, 2.0]), Answer::Yes);
        assert_eq!(minima(&[3.0, 1.0, 2.0, 1.0, 3.0]), Answer::No);
    }

    #[test]
    fn a_finding_is_scaled_down_by_the_sizes_that_its_claim_rests_on() {
        let scaled_down = |reduced: &[Size]| {
            let mut evidence = evidence(reduced);
            evidence.landscapes.insert("p".to_owned(), vec![3.0, 1.0, 3.0]);
            found("G9", &evidence).scaled_down
        };
        assert!(scaled_down(&[Size::Rows]) && scaled_down(&[Size::Landscape]));
        assert!(!scaled_down(&[Size::Iterations, Size::Rivals, Size::Long, Size::GradientError]));
    }

    #[test]
    fn a_claim_that_nothing_judges_is_an_error() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        assert!(find("G12", &evidence(&[]), RULES, &mut rng).is_err());
    }
}
