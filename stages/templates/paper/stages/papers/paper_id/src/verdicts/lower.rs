//! Claims of the form "this method ends at lower losses than that one".

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    alternative::Alternative, better::Better, effect::cliffs_delta, improvement::improvement,
    moments::mean, rank_tests::mann_whitney::MannWhitney,
};

use super::Runs;

/// Level of the test.
const ALPHA: f64 = 0.05;

/// With fewer runs of each method the test cannot reach the level, whatever the results: with 3 and 3 runs,
/// the extreme order is one of 20.
const LEAST: usize = 4;

/// One finding per problem: the lowest losses of `own` against those of `rival`.
pub(super) fn lower(runs: &Runs, [own, rival]: [&str; 2], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let problems = runs.0.iter().filter(|((_, method), _)| method == own);
    let each = problems.filter_map(|((problem, _), own)| {
        let rival = runs.0.get(&(problem.clone(), rival.to_owned()))?;
        let p = MannWhitney::new(own, rival).p(Alternative::Less);
        let text = format!(
            "mean {:.4} against {:.4}, one-sided p = {p:.4}; value: share of pairs as low or lower",
            mean(own),
            mean(rival)
        );
        let estimate = improvement(own, rival, Better::Lower, rng);
        let met = (own.len().min(rival.len()) >= LEAST).then_some(p < ALPHA);
        let found = Finding::new(problem, estimate, text).within(Region::above(0.5)).met(met);
        Some(found.effect(cliffs_delta(own, rival), "Cliff's δ"))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use kit::claims::finding::Answer;

    #[test]
    fn the_test_decides_and_few_runs_do_not() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut answer = |n: u32, shift: f64| {
            let key = |method: &str| ("bowl".to_owned(), method.to_owned());
            let rival: Vec<f64> = (0..n).map(f64::from).collect();
            let own = rival.iter().map(|v| v + shift).collect();
            let runs = Runs([(key("a"), own), (key("b"), rival)].into());
            let found = lower(&runs, ["a", "b"], &mut rng);
            assert_eq!((found.len(), found[0].place.as_str()), (1, "bowl"));
            found[0].answer(None)
        };
        assert_eq!(answer(10, -8.0), Answer::Yes);
        assert_eq!(answer(10, 0.0), Answer::Open, "no difference is seen, and none is excluded");
        assert_eq!(answer(10, 8.0), Answer::No);
        assert_eq!(answer(10, f64::NAN), Answer::No, "what fails is no better");
        assert_eq!(answer(3, -8.0), Answer::Open);
    }
}
