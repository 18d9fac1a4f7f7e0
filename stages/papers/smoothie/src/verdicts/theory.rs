//! Claims about the theorems (S10) and about loss surfaces (S12).

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean, proportion::share};

use super::evidence::{Bounded, Bounds, Evidence};

/// S10: in every random case the bound is at least the true norm; a penalty adds exactly λ. The bounds that guide the
/// search decide; those with another norm of the activations, or with the constant that the proof of Theorem 1 drops,
/// are shown beside them.
pub(super) fn bounds(bounds: &Bounds, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut ridge = Vec::new();
    for (theorem, Bounded { decides, cases }) in bounds {
        let held: Vec<bool> = cases.iter().map(|[bound, exact, _]| exact <= bound).collect();
        let estimate = share(&held);
        let ratios: Vec<f64> = cases.iter().map(|[bound, exact, _]| exact / bound).collect();
        // The other bounds are of the same networks.
        if *decides {
            ridge.extend(cases.iter().map(|case| case[2]).filter(|r| !r.is_nan()));
        }
        let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let text = format!(
            "holds in {:.0}% of {} cases; the true norm is up to {most:.3} times the bound",
            100.0 * estimate.value,
            cases.len()
        );
        // One counterexample is enough.
        let found = Finding::new(theorem, estimate, text).in_paper(*decides);
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

/// For each of the paper's data sets, whether each run's surface is less curved after tuning.
pub(super) fn flattened(evidence: &Evidence) -> Vec<Vec<bool>> {
    let own = evidence.own().filter_map(|place| evidence.curvatures.get(&place.task));
    own.map(|pairs| pairs.iter().map(|(before, after)| after < before).collect()).collect()
}

/// The share of a data set's runs whose surface is less curved after tuning.
pub(super) fn share_of(runs: &[bool]) -> f64 {
    runs.iter().filter(|flatter| **flatter).count() as f64 / runs.len() as f64
}

/// S12: the surface is less curved after tuning in at least 80% of runs, on the average of the data sets in
/// `place`. Runs on one data set are alike, so that the interval is over data sets.
///
/// DIFFERS: the paper draws surfaces, and does not say how it drew them or measured their curvature. Here is one
/// reading: the mean |second difference| of the loss on the plane of the two principal components of the run's
/// path, each axis rescaled by that path; before tuning is an untuned network on untreated rows, and so another
/// network on other rows. Another scaling of the axes or other rows may give another answer.
pub(super) fn flatter(sets: &[Vec<bool>], place: &str, rng: &mut ChaCha12Rng) -> Finding {
    if sets.is_empty() {
        return Finding::missing(place, "no surface could be drawn");
    }
    let shares: Vec<f64> = sets.iter().map(|runs| share_of(runs)).collect();
    let estimate = interval(&shares, rng, mean);
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let text = format!(
        "less curved after tuning in {:.0}% of a data set's runs on average, in {:.0}% to {:.0}% by data set ({} \
         runs of {} data sets); one reading, since the paper does not say how it measured: the mean |second \
         difference| of the loss on the plane of the run's two principal components, rescaled by the run's path, \
         and before tuning an untuned network on untreated rows",
        100.0 * estimate.value,
        100.0 * least,
        100.0 * most,
        sets.iter().map(Vec::len).sum::<usize>(),
        sets.len()
    );
    Finding::new(place, estimate, text).within(Region::above(0.8)).of_replicates()
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn found(all: &[(&str, bool, &[[f64; 3]])]) -> Vec<(String, bool, Answer)> {
        let bounded = |&(theorem, decides, cases): &(&str, bool, &[[f64; 3]])| {
            (theorem.to_owned(), Bounded { decides, cases: cases.to_vec() })
        };
        let all: Bounds = all.iter().map(bounded).collect();
        let findings = bounds(&all, &mut ChaCha12Rng::seed_from_u64(1));
        findings.into_iter().map(|f| (f.place.clone(), f.in_paper, f.answer(None))).collect()
    }

    #[test]
    fn one_case_above_its_bound_is_enough_against_it_and_the_searchs_own_bound_decides() {
        let none = f64::NAN;
        let cases = [[2.0, 2.0, none], [3.0, 1.0, none]];
        let [alone] = &found(&[("Theorem 2", true, &cases)])[..] else { panic!("one theorem") };
        assert_eq!(*alone, ("Theorem 2".to_owned(), true, Answer::Yes));
        let both = found(&[
            ("Theorem 1", true, &[[2.0, 1.0, none], [1.0, 1.5, none]]),
            ("Theorem 1, factor of the proof", false, &[[2.0, 1.0, none], [1.6, 1.5, none]]),
        ]);
        let expected = [
            ("Theorem 1".to_owned(), true, Answer::No),
            ("Theorem 1, factor of the proof".to_owned(), false, Answer::Yes),
        ];
        assert_eq!(both, expected);
    }

    #[test]
    fn a_penalty_adds_exactly_its_strength() {
        let ridge = |added: f64| {
            let all = found(&[("Theorem 1", true, &[[2.0, 1.0, 1.0], [2.0, 1.0, added]])]);
            all.into_iter().find(|(place, ..)| place == "Theorem 4").unwrap().2
        };
        assert_eq!(ridge(1.0 + 1e-12), Answer::Yes);
        assert_eq!(ridge(1.0 + 1e-6), Answer::No);
        let unpenalised = [[2.0, 1.0, f64::NAN]];
        assert_eq!(found(&[("Theorem 1", true, &unpenalised)]).len(), 1, "no penalty was tried");
    }

    /// Data sets with so many runs each, of which so many end less curved.
    fn sets(flatter: &[usize], runs: usize) -> Vec<Vec<bool>> {
        flatter.iter().map(|&n| (0..runs).map(|i| i < n).collect()).collect()
    }

    #[test]
    fn surfaces_are_flatter_where_the_curvature_fell() {
        let found = |all: &[Vec<bool>]| flatter(all, "all", &mut ChaCha12Rng::seed_from_u64(5));
        let answer = |flatter: &[usize]| found(&sets(flatter, 20)).answer(None);
        assert_eq!(answer(&[19; 10]), Answer::Yes);
        assert_eq!(answer(&[12; 10]), Answer::No);
        assert_eq!(answer(&[20; 7]), Answer::Open, "too few data sets");
        assert_eq!(found(&[]).answer(None), Answer::Untested);
        // 0.7 ± 0.03 over runs excludes 0.8, over ten data sets nothing is excluded.
        let uneven = found(&sets(&[100, 100, 100, 100, 100, 100, 100, 0, 0, 0], 100));
        assert_eq!((uneven.answer(None), uneven.estimate.unwrap().n), (Answer::Open, 10));
        assert!((uneven.estimate.unwrap().value - 0.7).abs() < 1e-12);
        // A data set with few runs counts as much as one with many.
        let few = [sets(&[100], 100), sets(&[0], 1)].concat();
        assert_eq!(found(&few).estimate.unwrap().value, 0.5);
        assert!(uneven.text.contains("one reading"), "{}", uneven.text);
    }
}
