//! The Mann–Whitney U test of two samples \[Mann1947\].

use super::alternative::Alternative;
use super::distribution::normal_sf;
use super::ranks::ranks;
use super::u_distribution::upper_tail;

/// Above this size of the smaller sample the choice falls on the normal approximation.
pub const EXACT_UP_TO: usize = 8;

/// U of two samples and what its distributions need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// R_a − n_a(n_a+1)/2 with R_a the sum of the first sample's ranks: how many pairs have the
    /// first sample's value above, equal ones by half. NaN if a value is NaN.
    pub u_a: f64,
    /// The same of the second sample: n_a n_b − U_a.
    pub u_b: f64,
    /// Size of the first sample.
    pub n_a: usize,
    /// Size of the second.
    pub n_b: usize,
    /// Σ (t³ − t) over ties in both together.
    pub tie_sum: f64,
}

impl MannWhitney {
    /// Compares two samples.
    #[must_use]
    pub fn new(a: &[f64], b: &[f64]) -> Self {
        let r = ranks(&[a, b].concat());
        let n = a.len() as f64;
        let u_a = r.ranks[..a.len()].iter().sum::<f64>() - 0.5 * n * (n + 1.0);
        // The sum of no ranks knows of no NaN in the other sample.
        let u_b = n * b.len() as f64 - u_a + 0.0 * r.tie_sum;
        Self { u_a, u_b, n_a: a.len(), n_b: b.len(), tie_sum: r.tie_sum }
    }

    /// Whether two values are equal, in one sample or across.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        self.tie_sum > 0.0
    }

    /// p by the normal approximation, its variance corrected for ties and, if wanted, with the
    /// continuity correction of ½. NaN for an empty sample; where all values are equal, NaN without
    /// the correction and 1 with it.
    #[must_use]
    pub fn asymptotic_p(&self, alternative: Alternative, continuity: bool) -> f64 {
        if self.n_a == 0 || self.n_b == 0 {
            return f64::NAN;
        }
        let (n_a, n_b) = (self.n_a as f64, self.n_b as f64);
        let n = n_a + n_b;
        let variance = n_a * n_b / (12.0 * n * (n - 1.0)) * (n * n * n - n - self.tie_sum);
        let correction = if continuity { 0.5 } else { 0.0 };
        let tail = |u: f64| normal_sf((u - 0.5 * n_a * n_b - correction) / variance.sqrt());
        alternative.p(tail(self.u_a), tail(self.u_b))
    }

    /// p by counting arrangements. Exact without ties; with ties it is the p of samples without any
    /// whose U is this one rounded down, and only good for comparison with programs that do so.
    /// NaN for an empty sample.
    #[must_use]
    pub fn exact_p(&self, alternative: Alternative) -> f64 {
        if self.n_a == 0 || self.n_b == 0 || self.u_a.is_nan() {
            return f64::NAN;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts of pairs, rounded down on purpose"
        )]
        let tail = |u: f64| upper_tail(self.n_a, self.n_b, u as usize);
        alternative.p(tail(self.u_a), tail(self.u_b))
    }

    /// p by the rule that scipy's `auto` follows: exact without ties where a sample has at most
    /// [`EXACT_UP_TO`] values, otherwise asymptotic with the continuity correction.
    #[must_use]
    pub fn p(&self, alternative: Alternative) -> f64 {
        if !self.has_ties() && self.n_a.min(self.n_b) <= EXACT_UP_TO {
            self.exact_p(alternative)
        } else {
            self.asymptotic_p(alternative, true)
        }
    }
}
