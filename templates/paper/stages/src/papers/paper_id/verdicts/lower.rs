//! Claims of the form "this method ends at lower losses than that one".

use rand_chacha::ChaCha12Rng;

use super::Runs;
use crate::{
    claims::Finding,
    stats::{
        alternative::Alternative, better::Better, effect::cliffs_delta, improvement::improvement,
        mann_whitney::MannWhitney, moments::mean,
    },
};

/// Level of the test.
const ALPHA: f64 = 0.05;

/// Fewer runs of each than this cannot reach the level, whatever they give: of 3 and 3, one order in
/// 20 is the extreme one.
const LEAST: usize = 4;

/// One finding a problem: the lowest losses of `own` against those of `rival`.
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
        Some(Finding {
            place: problem.clone(),
            in_paper: true,
            holds: (own.len().min(rival.len()) >= LEAST).then_some(p < ALPHA),
            estimate: Some(improvement(own, rival, Better::Lower, rng)),
            effect: Some((cliffs_delta(own, rival), "Cliff's δ")),
            text,
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn the_test_decides_and_few_runs_do_not() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut holds = |n: u32, shift: f64| {
            let key = |method: &str| ("bowl".to_owned(), method.to_owned());
            let rival: Vec<f64> = (0..n).map(f64::from).collect();
            let own = rival.iter().map(|v| v + shift).collect();
            let runs = Runs([(key("a"), own), (key("b"), rival)].into());
            let found = lower(&runs, ["a", "b"], &mut rng);
            assert_eq!((found.len(), found[0].place.as_str()), (1, "bowl"));
            found[0].holds
        };
        assert_eq!(holds(10, -8.0), Some(true));
        assert_eq!(holds(10, 0.0), Some(false));
        assert_eq!(holds(10, f64::NAN), Some(false));
        assert_eq!(holds(3, -8.0), None);
    }
}
