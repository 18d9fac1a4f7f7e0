//! The Kruskal–Wallis test: do several samples come from one distribution? \[Kruskal1952\].

use super::distribution::chi_squared_sf;
use super::ranks::ranks;

/// What the test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kruskal {
    /// H, corrected for ties; NaN if all values are equal, a sample is empty or a value is NaN.
    pub h: f64,
    /// Samples less one.
    pub df: usize,
    /// P(H or more), by the chi-squared distribution; NaN where H is, and for fewer than two
    /// samples.
    pub p: f64,
}

impl Kruskal {
    /// Whether the samples differ at level `alpha`. An undefined p shows no difference.
    #[must_use]
    pub fn significant(&self, alpha: f64) -> bool {
        self.p <= alpha
    }
}

/// Tests `groups`.
#[must_use]
pub fn kruskal<G: AsRef<[f64]>>(groups: &[G]) -> Kruskal {
    let pooled: Vec<f64> = groups.iter().flat_map(|g| g.as_ref().iter().copied()).collect();
    let r = ranks(&pooled);
    let n = pooled.len() as f64;
    // H = (N − 1) · Σ n_i (r̄_i − r̄)² / Σ (r_ij − r̄)². Ranks are halves, so that both sums have no
    // rounding to lose, and the denominator contains the correction for ties.
    let mut rest = r.ranks.as_slice();
    let mut between = 0.0;
    for group in groups {
        let (own, others) = rest.split_at(group.as_ref().len());
        let size = own.len() as f64;
        let excess = own.iter().sum::<f64>() - 0.5 * size * (n + 1.0);
        between += excess * excess / size;
        rest = others;
    }
    let total = (n * n * n - n - r.tie_sum) / 12.0;
    let h = (n - 1.0) * between / total;
    let df = groups.len().saturating_sub(1);
    Kruskal { h, df, p: chi_squared_sf(h, df) }
}
