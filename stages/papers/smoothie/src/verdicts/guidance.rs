//! Claims about smoothness as a guide (Figures 3, 7 and 8).

use kit::claims::{
    finding::{Finding, Region},
    p_value,
};
use rand_chacha::ChaCha12Rng;
use stats::{
    alternative::Alternative,
    better::Better,
    bootstrap::interval,
    effect::cliffs_delta,
    improvement::at_least_as_good,
    moments::mean,
    rank_tests::{mann_whitney::MannWhitney, wilcoxon::SignedRanks},
    ratio::interval_of_ratio,
    trends::{
        isotonic::{Direction, isotonic_trend},
        logistic::{Trials, logistic_trend},
    },
};

use super::evidence::{Cells, Evidence, Place};
use crate::results::largest_budget;

const ALPHA: f64 = 0.05;

/// The mean smoothness of a task's networks.
pub(super) fn smoothness(evidence: &Evidence, place: &Place) -> Option<f64> {
    evidence.pools.mean_smoothness(&place.task, evidence.formula)
}

/// The mean smoothness of each of the paper's tasks: those of software, and the others.
pub(super) fn sides(evidence: &Evidence) -> [Vec<f64>; 2] {
    [true, false].map(|software| {
        let side = evidence.own().filter(|p| p.software == software);
        side.filter_map(|place| smoothness(evidence, place)).collect()
    })
}

/// S6: β of software data against β of the others. Here and below `place` says which data sets there are.
pub(super) fn smoother(
    [own, others]: &[Vec<f64>; 2],
    place: &str,
    rng: &mut ChaCha12Rng,
) -> Finding {
    if own.len() < 3 || others.len() < 3 {
        return Finding::missing(place, "fewer than three data sets on one side");
    }
    let p = MannWhitney::new(own, others).p(Alternative::Less);
    let ratio = interval_of_ratio(others, own, rng);
    let text = format!(
        "mean β {:.3} of {} software data sets, {:.3} of {} others: ratio {:.2}, one-sided {}",
        mean(own),
        own.len(),
        mean(others),
        others.len(),
        ratio.value,
        p_value::told(p)
    );
    let found = Finding::new(place, ratio, text).within(Region::above(1.5)).without_effect(1.0);
    let found = found.of_replicates();
    let met = Some(p < ALPHA && ratio.value >= 1.5);
    found.met(met).effect(cliffs_delta(own, others), "Cliff's δ")
}

/// For a task: its smoothness, the share of pairs in which SMOOTHIE is at least as good as BOHB, and the
/// number of repeats.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    pub(super) beta: f64,
    pub(super) share: f64,
    pub(super) n: f64,
}

/// SMOOTHIE against BOHB on a task.
pub(super) fn chance(evidence: &Evidence, place: &Place) -> Option<Chance> {
    let beta = smoothness(evidence, place)?;
    let ended = evidence.results.ended(&place.task);
    let rival = largest_budget(ended.keys().map(|(method, _)| method.as_str()), "bohb-")?;
    let (own, other) = evidence.pair(&place.task, rival)?;
    let share = at_least_as_good(&own, &other, Better::Higher);
    Some(Chance { beta, share, n: own.len() as f64 })
}

/// SMOOTHIE against BOHB on every task of the paper.
pub(super) fn chances(evidence: &Evidence) -> Vec<Chance> {
    evidence.own().filter_map(|place| chance(evidence, place)).collect()
}

/// S8: the probability that SMOOTHIE is at least as good as BOHB falls with the smoothness.
pub(super) fn falls(chances: &[Chance], place: &str, rng: &mut ChaCha12Rng) -> Finding {
    let points: Vec<(f64, f64)> = chances.iter().map(|c| (c.beta, c.share)).collect();
    let trial = |c: &Chance| Trials {
        x: c.beta.max(f64::MIN_POSITIVE).ln(),
        successes: c.share * c.n,
        n: c.n,
    };
    let trials: Vec<Trials> = chances.iter().map(trial).collect();
    if points.len() < 5 {
        return Finding::missing(place, "fewer than five data sets");
    }
    let isotonic = isotonic_trend(&points, Direction::Falling, 9999, rng);
    let logistic = logistic_trend(&trials).ok();
    let estimate =
        interval(&trials, rng, |sample| logistic_trend(sample).map_or(f64::NAN, |t| t.slope));
    let p = logistic.as_ref().map(|t| t.overdispersed_p(Alternative::Less));
    match p {
        Some(p) if !isotonic.p.is_nan() => {
            let text = format!(
                "over {} data sets the log-odds change by {:.2} for each factor e of β (one-sided \
                 {}); a falling curve explains {:.0}% ({})",
                points.len(),
                estimate.value,
                p_value::told(p),
                100.0 * isotonic.explained,
                p_value::told(isotonic.p)
            );
            let found = Finding::new(place, estimate, text);
            // Either test can show that it falls; that it does not fall is shown by the slope.
            if isotonic.p < ALPHA || p < ALPHA {
                found.met(Some(true))
            } else {
                found.within(Region::below(0.0)).met(Some(false)).of_replicates()
            }
        }
        _ => {
            let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
            let what = "no trend can be estimated: SMOOTHIE is at least as good in";
            let text = format!(
                "{what} {:.0}% of pairs or more on each of {} data sets",
                100.0 * least,
                points.len()
            );
            Finding::new(place, estimate, text)
        }
    }
}

/// Mean score over the data sets of a cell of Figure 8; each data set is the mean of its pools.
fn cell(tables: &[&Cells], learner: &str, n1: usize, n2: usize, rule: &str) -> Option<f64> {
    let key = (learner.to_owned(), n1, n2, rule.to_owned());
    let scores: Option<Vec<f64>> = tables.iter().map(|t| t.get(&key).map(|s| mean(s))).collect();
    scores.filter(|s| !s.is_empty()).map(|s| mean(&s))
}

/// The cell of S9, and its bound of "low".
const CHOSEN: (usize, usize) = (30, 5);
const LOW: f64 = 0.05;
/// The smallest score by which a regret is divided.
const LEAST: f64 = 0.05;
/// The number of the paper's data sets of warnings.
const WARNINGS: usize = 7;

/// A cell of Figure 8, N1 and N2, with its regret.
type Regret = ((usize, usize), f64);

/// The regret of every cell of Figure 8 over some data sets: 1 minus the ratio of its score to that of N1 =
/// 20.
fn regrets(tables: &[&Cells]) -> Vec<Regret> {
    let mut all = Vec::new();
    for n2 in [5, 10, 15] {
        let Some(start) = cell(tables, "FF", 20, n2, "highest") else { continue };
        for n1 in (20..=75).step_by(5) {
            if let Some(score) = cell(tables, "FF", n1, n2, "highest") {
                let regret = if start < LEAST { f64::NAN } else { 1.0 - score / start };
                all.push(((n1, n2), regret));
            }
        }
    }
    all
}

/// The lowest regret with its cell, and the chosen cell's; `None` if one is not available.
fn lowest_and_chosen(tables: &[&Cells]) -> Option<(Regret, f64)> {
    let all = regrets(tables);
    let best = all.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((best, all.iter().find(|(key, _)| *key == CHOSEN)?.1))
}

/// S9: the regret at (30, 5) against the best cell, on the warnings, `over` those of their data sets that there
/// are. Data sets are resampled: the interval is over targets. The paper has seven of them and no more, so that it
/// counts with seven; fewer are a sample that is too small for an answer.
pub(super) fn trade(evidence: &Evidence, over: &str, rng: &mut ChaCha12Rng) -> Finding {
    const PLACE: &str = "warnings";
    let own = evidence.family("warnings").filter(|p| p.in_paper);
    let tables: Vec<&Cells> = own.filter_map(|p| evidence.sensitivity.get(&p.task)).collect();
    let Some((((n1, n2), best), chosen)) = lowest_and_chosen(&tables) else {
        let why = "the pools do not hold N1 = 30 configurations of every data set";
        return Finding::missing(PLACE, why);
    };
    let estimate = interval(&tables, rng, |tables| {
        lowest_and_chosen(tables).map_or(f64::NAN, |((_, best), chosen)| chosen - best)
    });
    let text = if estimate.value.is_nan() {
        format!(
            "the score at N1 = 20 is below {LEAST}: regrets, which are divided by it, say nothing"
        )
    } else {
        format!(
            "regret {chosen:.3} at N1 = {}, N2 = {}; the lowest, {best:.3}, is at N1 = {n1}, N2 = {n2}; \
             over {over}",
            CHOSEN.0, CHOSEN.1
        )
    };
    let found = Finding::new(PLACE, estimate, text).within(Region::below(LOW));
    if tables.len() < WARNINGS { found.of_replicates() } else { found }
}

/// The score of running the highest on a task minus that of running any, and minus that of running the lowest.
pub(super) fn lead(evidence: &Evidence, place: &Place) -> Option<(f64, f64)> {
    let cells = evidence.sensitivity.get(&place.task)?;
    let (n1, n2) = if place.family == "warnings" { (50, 10) } else { (30, 5) };
    let at = |rule: &str| -> Option<f64> {
        let of = cells.iter().filter(|((_, a, b, r), _)| (*a, *b) == (n1, n2) && r == rule);
        let scores: Vec<f64> = of.map(|(_, scores)| mean(scores)).collect();
        (!scores.is_empty()).then(|| mean(&scores))
    };
    let high = at("highest")?;
    Some((high - at("random")?, high - at("lowest")?))
}

/// The leads on every task of the paper.
pub(super) fn leads(evidence: &Evidence) -> Vec<(f64, f64)> {
    evidence.own().filter_map(|place| lead(evidence, place)).collect()
}

/// S11: running the highest against running any and the lowest, `over` the data sets that there are.
pub(super) fn selects(
    differences: &[(f64, f64)],
    over: &str,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    if differences.len() < 5 {
        let why = "fewer than five data sets with pools of N1 configurations";
        return vec![Finding::missing(over, why)];
    }
    let over_any: Vec<f64> = differences.iter().map(|d| d.0).collect();
    let over_low: Vec<f64> = differences.iter().map(|d| d.1).collect();
    let p = |list: &[f64], side| SignedRanks::new(list).p(side);
    let (p_any, p_low) = (p(&over_any, Alternative::Greater), p(&over_low, Alternative::Greater));
    let p_other = p(&over_low, Alternative::Less);
    let direction = if p_low < ALPHA {
        "the highest norms do better than the lowest"
    } else if p_other < ALPHA {
        "the lowest norms do better than the highest"
    } else {
        "neither direction is seen to do better than the other"
    };
    let mut entry = |place: &str, list: &[f64], p: f64| {
        let estimate = interval(list, rng, mean);
        let p_told = p_value::told(p);
        let text = format!("{:+.4} in score over {over}, {p_told}; {direction}", estimate.value);
        let found = Finding::new(place, estimate, text).within(Region::above(0.0));
        found.met(Some(p < ALPHA)).of_replicates()
    };
    vec![entry("against any", &over_any, p_any), entry("against the lowest", &over_low, p_low)]
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn rng() -> ChaCha12Rng {
        ChaCha12Rng::seed_from_u64(4)
    }

    fn about(value: f64) -> Vec<f64> {
        (0..10).map(|i| value * (1.0 + 0.01 * f64::from(i))).collect()
    }

    #[test]
    fn software_is_smoother_where_its_norms_are_the_smaller_by_half() {
        let answer = |own, others| smoother(&[own, others], "all", &mut rng()).answer(None);
        assert_eq!(answer(about(1.0), about(3.0)), Answer::Yes);
        assert_eq!(answer(about(3.0), about(1.0)), Answer::No);
        // Smaller beyond doubt, but by a fifth: neither what was asked for, nor no difference.
        assert_eq!(answer(about(1.0), about(1.2)), Answer::Open);
        assert_eq!(answer(about(1.0), about(1.0)), Answer::No);
        assert_eq!(answer(vec![1.0, 1.1], about(3.0)), Answer::Untested);
    }

    fn cells(all: &[((usize, usize), f64)]) -> Cells {
        let cell = |&((n1, n2), score): &((usize, usize), f64)| {
            (("FF".to_owned(), n1, n2, "highest".to_owned()), vec![score - 0.05, score + 0.05])
        };
        all.iter().map(cell).collect()
    }

    #[test]
    fn regrets_are_against_twenty_probes_of_the_same_number_of_trainings() {
        let first = cells(&[((20, 5), 0.5), ((30, 5), 0.6), ((20, 10), 0.8), ((30, 10), 0.4)]);
        let found = regrets(&[&first]);
        let expected = [((20, 5), 0.0), ((30, 5), -0.2), ((20, 10), 0.0), ((30, 10), 0.5)];
        assert_eq!(found.len(), expected.len());
        for ((cell, regret), (expected, value)) in found.into_iter().zip(expected) {
            assert!(cell == expected && (regret - value).abs() < 1e-12, "{cell:?}: {regret}");
        }
        let ((best, regret), chosen) = lowest_and_chosen(&[&first]).unwrap();
        assert_eq!((best, regret), ((30, 5), chosen));
        // A data set that lacks a cell takes it away from all.
        let second = cells(&[((20, 5), 0.5), ((20, 10), 0.8), ((30, 10), 0.4)]);
        assert!(lowest_and_chosen(&[&first, &second]).is_none());
        // What is divided by nearly nothing says nothing.
        assert!(regrets(&[&cells(&[((20, 5), 0.01), ((30, 5), 0.6)])])[1].1.is_nan());
    }

    #[test]
    fn running_the_highest_is_tested_against_any_and_against_the_lowest() {
        let answers = |any: f64, low: f64| {
            let differences: Vec<(f64, f64)> =
                about(1.0).into_iter().map(|x| (any * x, low * x)).collect();
            let found = selects(&differences, "all", &mut rng());
            assert_eq!(found.len(), 2);
            [found[0].answer(None), found[1].answer(None)]
        };
        assert_eq!(answers(0.1, 0.2), [Answer::Yes, Answer::Yes]);
        assert_eq!(answers(0.1, -0.2), [Answer::Yes, Answer::No]);
        let found = selects(&[(0.1, -0.2); 10], "10 of 12", &mut rng());
        assert!(found[1].text.ends_with("the lowest norms do better than the highest"));
        assert!(found[1].text.contains(" over 10 of 12, "), "{}", found[1].text);
        assert_eq!(selects(&[(0.1, 0.2); 4], "all", &mut rng())[0].answer(None), Answer::Untested);
    }
}
