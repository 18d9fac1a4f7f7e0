//! Wins, ties and losses among treatments, by the procedure of \[Yedida2024\] sec. 5.6.

use super::adjust::benjamini_hochberg;
use super::alternative::Alternative;
use super::better::Better;
use super::kruskal::{Kruskal, kruskal};
use super::mann_whitney::MannWhitney;
use super::order::median;
use super::ranks::ranks;

/// How one treatment does against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Another rank and the better median.
    Win,
    /// The same rank, or equal medians.
    Tie,
    /// Another rank and the worse median.
    Loss,
}

/// Which treatments are among the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The Kruskal–Wallis test of all treatments.
    pub kruskal: Kruskal,
    /// Medians of the treatments.
    pub medians: Vec<f64>,
    /// The treatment with the best median; of several, the one with the best mean rank over all
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
    /// Ranks treatments by their scores, testing at level `alpha` (the paper's is 0.05). Scores
    /// must not be NaN: with one, nothing is found to differ. `None` if a treatment has no scores
    /// or there is no treatment.
    #[must_use]
    pub fn new<G: AsRef<[f64]>>(treatments: &[G], better: Better, alpha: f64) -> Option<Self> {
        if treatments.iter().any(|t| t.as_ref().is_empty()) {
            return None;
        }
        let medians: Vec<f64> = treatments.iter().map(|t| median(t.as_ref())).collect();
        let pooled: Vec<f64> =
            treatments.iter().flat_map(|t| t.as_ref()).map(|s| better.ascending(*s)).collect();
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
