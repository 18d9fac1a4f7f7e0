//! Counts wins, ties and losses among treatments, by the procedure of \[Yedida2024\] sec. 5.6.

use super::{adjust::benjamini_hochberg, alternative::Alternative, better::Better, order::median};
use crate::rank_tests::{
    kruskal::{Kruskal, kruskal},
    mann_whitney::MannWhitney,
    ranks::ranks,
};

/// How one treatment does against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A different rank and the better median.
    Win,
    /// The same rank, or equal medians.
    Tie,
    /// A different rank and the worse median.
    Loss,
}

/// Which treatments are among the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The Kruskal–Wallis test of all treatments.
    pub kruskal: Kruskal,
    /// Medians of the treatments.
    pub medians: Vec<f64>,
    /// The treatment with the best median; if there are several, the one with the best mean rank over all
    /// scores, then the first.
    pub best: usize,
    /// p of each treatment against the best (two-sided Mann–Whitney, Benjamini–Hochberg over these
    /// comparisons); 1 for the best itself, and for all where Kruskal–Wallis finds no difference.
    pub adjusted_p: Vec<f64>,
    /// Whether a treatment shares the first rank: all do if Kruskal–Wallis finds no difference,
    /// otherwise the best and those that do not differ from it. The others share the second.
    pub first: Vec<bool>,
    better: Better,
}

impl Standing {
    /// Ranks treatments by their scores, testing at level `alpha` (the paper's is 0.05). Scores must not be
    /// NaN: with a NaN among them, nothing is found to differ. `None` if a treatment has no scores or there
    /// is no treatment.
    ///
    /// ```
    /// use stats::{better::Better, standing::{Outcome, Standing}};
    ///
    /// let errors = [[0.10, 0.11, 0.12, 0.13, 0.14], [0.30, 0.31, 0.32, 0.33, 0.34]];
    /// let standing = Standing::new(&errors, Better::Lower, 0.05).expect("two treatments");
    /// assert_eq!(standing.best, 0);
    /// assert!(matches!(standing.outcome(0, 1), Outcome::Win));
    /// ```
    #[must_use]
    pub fn new<G: AsRef<[f64]>>(treatments: &[G], better: Better, alpha: f64) -> Option<Self> {
        if treatments.iter().any(|t| t.as_ref().is_empty()) {
            return None;
        }
        let medians: Vec<f64> = treatments.iter().map(|t| median(t.as_ref())).collect();
        let pooled: Vec<f64> =
            treatments.iter().flat_map(G::as_ref).map(|s| better.ascending(*s)).collect();
        let mut rest = &ranks(&pooled).ranks[..];
        let mut mean_ranks = Vec::with_capacity(treatments.len());
        for treatment in treatments {
            let (own, others) = rest.split_at(treatment.as_ref().len());
            mean_ranks.push(super::moments::mean(own));
            rest = others;
        }
        let best = (0..treatments.len()).min_by(|&i, &j| {
            let by_median = better.ascending(medians[i]).total_cmp(&better.ascending(medians[j]));
            by_median.then(mean_ranks[i].total_cmp(&mean_ranks[j]))
        })?;
        let kruskal = kruskal(treatments);
        let mut adjusted_p = vec![1.0; treatments.len()];
        if kruskal.significant(alpha) {
            let others: Vec<usize> = (0..treatments.len()).filter(|i| *i != best).collect();
            let against = |i: &usize| {
                let test = MannWhitney::new(treatments[*i].as_ref(), treatments[best].as_ref());
                test.p(Alternative::TwoSided)
            };
            let p: Vec<f64> = others.iter().map(against).collect();
            for (i, p) in others.into_iter().zip(benjamini_hochberg(&p)) {
                adjusted_p[i] = p;
            }
        }
        let first = adjusted_p.iter().map(|p| *p > alpha).collect();
        Some(Self { kruskal, medians, best, adjusted_p, first, better })
    }

    /// Treatment `a` against treatment `b`.
    ///
    /// # Panics
    /// If there is no such treatment.
    #[must_use]
    pub fn outcome(&self, a: usize, b: usize) -> Outcome {
        if self.first[a] == self.first[b] {
            Outcome::Tie
        } else if self.better.is_better(self.medians[a], self.medians[b]) {
            Outcome::Win
        } else if self.better.is_better(self.medians[b], self.medians[a]) {
            Outcome::Loss
        } else {
            Outcome::Tie
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    /// Twenty scores spread around a centre, of which none are equal for different centres.
    fn around(centre: f64) -> Vec<f64> {
        (0..20).map(|i| centre + 0.01 * f64::from(i * 7 % 20) + 1e-4 * centre).collect()
    }

    #[test]
    fn the_best_and_what_does_not_differ_from_it_come_first() {
        let treatments = [around(0.5), around(0.61), around(0.6), around(0.3)];
        let s = Standing::new(&treatments, Better::Higher, 0.05).unwrap();
        assert!(s.kruskal.significant(0.05));
        assert_eq!((s.best, s.first.as_slice()), (1, [false, true, true, false].as_slice()));
        assert_eq!(s.outcome(2, 1), Outcome::Tie);
        assert_eq!(s.outcome(2, 0), Outcome::Win);
        assert_eq!(s.outcome(3, 2), Outcome::Loss);
        // Both in the second rank: a tie, however far apart.
        assert_eq!(s.outcome(0, 3), Outcome::Tie);
        // Three comparisons with the best, corrected as three.
        let p: Vec<f64> = [0, 2, 3]
            .map(|i| MannWhitney::new(&treatments[i], &treatments[1]).p(Alternative::TwoSided))
            .to_vec();
        let expected = benjamini_hochberg(&p);
        assert_eq!([s.adjusted_p[0], s.adjusted_p[2], s.adjusted_p[3]], expected[..]);
    }

    #[test]
    fn without_a_difference_all_tie() {
        let same = Standing::new(&[vec![0.9; 20], vec![0.9; 20]], Better::Higher, 0.05).unwrap();
        assert!(same.kruskal.p.is_nan() && same.outcome(0, 1) == Outcome::Tie);
        // Medians differ, but Kruskal–Wallis does not see it.
        let near = Standing::new(&[around(0.5), around(0.501)], Better::Lower, 0.05).unwrap();
        assert_eq!((near.best, near.outcome(0, 1)), (0, Outcome::Tie));
        assert!(near.first.iter().all(|f| *f));
        let none: [Vec<f64>; 0] = [];
        assert!(Standing::new(&none, Better::Lower, 0.05).is_none());
        assert!(Standing::new(&[vec![1.0], vec![]], Better::Lower, 0.05).is_none());
        let nan = [around(0.1), vec![f64::NAN; 20]];
        assert!(Standing::new(&nan, Better::Lower, 0.05).unwrap().first.iter().all(|f| *f));
    }

    #[test]
    fn order_of_treatments_and_sign_of_scores_do_not_matter() {
        let mut rng = ChaCha12Rng::seed_from_u64(9);
        let mut outcomes = [0; 3];
        for _ in 0..40 {
            let k = rng.random_range(2..6);
            let treatments: Vec<Vec<f64>> = (0..k)
                .map(|i| {
                    let shift = 0.15 * f64::from(i);
                    (0..12).map(|_| (20.0 * (shift + rng.random::<f64>())).round()).collect()
                })
                .collect();
            let s = Standing::new(&treatments, Better::Higher, 0.05).unwrap();
            let turned: Vec<Vec<f64>> =
                treatments.iter().rev().map(|t| t.iter().map(|v| 3.0 - v).collect()).collect();
            let r = Standing::new(&turned, Better::Lower, 0.05).unwrap();
            let last = treatments.len() - 1;
            for a in 0..=last {
                for b in 0..=last {
                    assert_eq!(s.outcome(a, b), r.outcome(last - a, last - b));
                    let mirrored = match s.outcome(b, a) {
                        Outcome::Win => Outcome::Loss,
                        Outcome::Tie => Outcome::Tie,
                        Outcome::Loss => Outcome::Win,
                    };
                    assert_eq!(s.outcome(a, b), mirrored);
                    outcomes[s.outcome(a, b) as usize] += 1;
                }
            }
        }
        assert!(outcomes.iter().all(|n| *n > 30), "{outcomes:?}");
    }
}
