//! Claims about the theorems (S10) and about loss surfaces (S12).

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean, proportion::share};

use super::evidence::{Bounds, Evidence};

/// S10: in every random case the bound is at least the true norm; a penalty adds exactly λ.
pub(super) fn bounds(bounds: &Bounds, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut ridge = Vec::new();
    for (theorem, cases) in bounds {
        let held: Vec<bool> = cases.iter().map(|[bound, exact, _]| exact <= bound).collect();
        let estimate = share(&held);
        let ratios: Vec<f64> = cases.iter().map(|[bound, exact, _]| exact / bound).collect();
        ridge.extend(cases.iter().map(|case| case[2]).filter(|r| !r.is_nan()));
        let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let text = format!(
            "holds in {:.0}% of {} cases; the true norm is up to {most:.3} times the bound",
            100.0 * estimate.value,
            cases.len()
        );
        // One counterexample is enough. The criterion allows the stated factor: if there is a bound with it,
        // that bound decides.
        let factored = bounds.contains_key(&format!("{theorem}, factor of the proof"));
        let found = Finding::new(theorem, estimate, text).in_paper(!factored);
        let found = found.met(Some(held.iter().all(|held| *held)));
        findings.push(found.effect(most, "largest true norm over bound"));
    }
    if !ridge.is_empty() {
        let error = ridge.iter().map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
        let text = format!("an L2 term adds λ to within {error:.0e} of λ in {} cases", ridge.len());
        let found = Finding::new("Theorem 4", interval(&ridge, rng, mean), text);
        findings.push(found.met(Some(error < 1e-9)));
    }
    findings
}

/// The curvatures before and after tuning, of all runs on the paper's tasks.
pub(super) fn pairs(evidence: &Evidence) -> Vec<(f64, f64)> {
    let own = evidence.places.iter().filter(|p| p.in_paper);
    own.filter_map(|p| evidence.curvatures.get(&p.task)).flatten().copied().collect()
}

/// S12: the surface is less curved after tuning in at least 80% of runs.
pub(super) fn flatter(pairs: &[(f64, f64)]) -> Finding {
    if pairs.is_empty() {
        return Finding::missing("all data sets", "no surface could be drawn");
    }
    let estimate = share(&pairs.iter().map(|(before, after)| after < before).collect::<Vec<_>>());
    let text = format!(
        "less curved after tuning in {:.0}% of {} runs",
        100.0 * estimate.value,
        pairs.len()
    );
    Finding::new("all data sets", estimate, text).within(Region::above(0.8))
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn found(all: &[(&str, &[[f64; 3]])]) -> Vec<(String, bool, Answer)> {
        let all: Bounds =
            all.iter().map(|(theorem, cases)| ((*theorem).to_owned(), cases.to_vec())).collect();
        let findings = bounds(&all, &mut ChaCha12Rng::seed_from_u64(1));
        findings.into_iter().map(|f| (f.place.clone(), f.in_paper, f.answer(None))).collect()
    }

    #[test]
    fn one_case_above_its_bound_is_enough_against_it_and_the_stated_factor_decides() {
        let none = f64::NAN;
        let [alone] = &found(&[("Theorem 2", &[[2.0, 2.0, none], [3.0, 1.0, none]])])[..] else {
            panic!("one theorem");
        };
        assert_eq!(*alone, ("Theorem 2".to_owned(), true, Answer::Yes));
        let both = found(&[
            ("Theorem 1", &[[2.0, 1.0, none], [1.0, 1.5, none]]),
            ("Theorem 1, factor of the proof", &[[2.0, 1.0, none], [1.6, 1.5, none]]),
        ]);
        let expected = [
            ("Theorem 1".to_owned(), false, Answer::No),
            ("Theorem 1, factor of the proof".to_owned(), true, Answer::Yes),
        ];
        assert_eq!(both, expected);
    }

    #[test]
    fn a_penalty_adds_exactly_its_strength() {
        let ridge = |added: f64| {
            let all = found(&[("Theorem 1", &[[2.0, 1.0, 1.0], [2.0, 1.0, added]])]);
            all.into_iter().find(|(place, ..)| place == "Theorem 4").unwrap().2
        };
        assert_eq!(ridge(1.0 + 1e-12), Answer::Yes);
        assert_eq!(ridge(1.0 + 1e-6), Answer::No);
        assert!(
            found(&[("Theorem 1", &[[2.0, 1.0, f64::NAN]])]).len() == 1,
            "no penalty was tried"
        );
    }

    #[test]
    fn surfaces_are_flatter_where_the_curvature_fell() {
        let runs = |flatter: usize| -> Vec<(f64, f64)> {
            (0..100).map(|i| if i < flatter { (2.0, 1.0) } else { (1.0, 2.0) }).collect()
        };
        assert_eq!(flatter(&runs(95)).answer(None), Answer::Yes);
        assert_eq!(flatter(&runs(60)).answer(None), Answer::No);
        assert_eq!(flatter(&[]).answer(None), Answer::Untested);
        assert_eq!(flatter(&[(1.0, 1.0)]).estimate.unwrap().value, 0.0, "as curved is not flatter");
    }
}
