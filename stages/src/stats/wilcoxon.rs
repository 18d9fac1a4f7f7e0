//! Wilcoxon's signed-rank test of paired values \[Wilcoxon1945\].

use super::alternative::Alternative;
use super::distribution::normal_sf;
use super::ranks::{Ranks, ranks};

/// Up to this many differences the choice falls on the exact distribution.
pub const EXACT_UP_TO: usize = 50;

/// The signed ranks of some differences. Zeros are left out before ranking, by Wilcoxon's own rule.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedRanks {
    /// Sum of the ranks of positive differences; NaN if a difference is NaN.
    pub plus: f64,
    /// Sum of the ranks of negative differences.
    pub minus: f64,
    /// How many differences are not zero.
    pub n: usize,
    magnitudes: Ranks,
}

impl SignedRanks {
    /// Ranks the differences, first minus second of each pair.
    #[must_use]
    pub fn new(differences: &[f64]) -> Self {
        let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let magnitudes = ranks(&kept.iter().map(|d| d.abs()).collect::<Vec<_>>());
        let side = |sign: f64| -> f64 {
            let signed = kept.iter().zip(&magnitudes.ranks);
            // A NaN difference counts on both sides, with its NaN rank.
            signed.filter(|(d, _)| d.is_nan() || **d * sign > 0.0).map(|(_, rank)| rank).sum()
        };
        let (plus, minus) = (side(1.0), side(-1.0));
        Self { plus, minus, n: kept.len(), magnitudes }
    }

    /// p over all 2ⁿ ways to give the ranks signs; exact with ties too, which keep their shared
    /// ranks. NaN if no difference is left. Takes n³ steps.
    #[must_use]
    pub fn exact_p(&self, alternative: Alternative) -> f64 {
        if self.n == 0 || self.plus.is_nan() {
            return f64::NAN;
        }
        // Mid-ranks are halves: twice the ranks are whole numbers.
        let doubled = |sum: f64| -> usize {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and not negative"
            )]
            let whole = (2.0 * sum) as usize;
            whole
        };
        let all = self.n * (self.n + 1);
        let mut p = vec![0.0; all + 1];
        p[0] = 1.0;
        let mut reached = 0;
        for rank in self.magnitudes.ranks.iter().map(|r| doubled(*r)) {
            reached += rank;
            for sum in (0..=reached).rev() {
                let with = if sum >= rank { p[sum - rank] } else { 0.0 };
                p[sum] = 0.5 * (p[sum] + with);
            }
        }
        // Signs turned round give the same distribution: P(plus ≥ s) = P(minus ≤ all − s).
        let at_most = |sum: f64| p[..=doubled(sum)].iter().sum::<f64>();
        alternative.p(at_most(self.minus), at_most(self.plus))
    }

    /// p by the normal approximation, its variance corrected for ties and, if wanted, with the
    /// continuity correction of ½. NaN if no difference is left.
    #[must_use]
    pub fn asymptotic_p(&self, alternative: Alternative, continuity: bool) -> f64 {
        if self.n == 0 {
            return f64::NAN;
        }
        let n = self.n as f64;
        let centre = 0.25 * n * (n + 1.0);
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * self.magnitudes.tie_sum) / 24.0;
        let correction = if continuity { 0.5 } else { 0.0 };
        let tail = |sum: f64| normal_sf((sum - centre - correction) / variance.sqrt());
        alternative.p(tail(self.plus), tail(self.minus))
    }

    /// Exact for at most [`EXACT_UP_TO`] differences, otherwise asymptotic without continuity
    /// correction.
    #[must_use]
    pub fn p(&self, alternative: Alternative) -> f64 {
        if self.n <= EXACT_UP_TO {
            self.exact_p(alternative)
        } else {
            self.asymptotic_p(alternative, false)
        }
    }
}
