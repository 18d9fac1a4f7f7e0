//! The Kruskal–Wallis test of whether several samples come from one distribution \[Kruskal1952\].

use super::ranks::ranks;
use crate::distribution::chi_squared_sf;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kruskal {
    /// H, corrected for ties; NaN if all values are equal, a sample is empty or a value is NaN.
    pub h: f64,
    /// Degrees of freedom: the number of samples less one.
    pub df: usize,
    /// P(H or more), by the chi-squared distribution; NaN where H is NaN, and for fewer than two samples.
    pub p: f64,
}

impl Kruskal {
    /// Whether the samples differ at level `alpha`. An undefined p shows no difference.
    #[must_use]
    pub fn significant(&self, alpha: f64) -> bool {
        self.p <= alpha
    }
}

/// Tests whether `groups` come from one distribution.
///
/// ```
/// let groups = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]];
/// assert!(stats::rank_tests::kruskal::kruskal(&groups).significant(0.05));
/// ```
#[must_use]
pub fn kruskal<G: AsRef<[f64]>>(groups: &[G]) -> Kruskal {
    let pooled: Vec<f64> = groups.iter().flat_map(|g| g.as_ref().iter().copied()).collect();
    let r = ranks(&pooled);
    let n = pooled.len() as f64;
    // H = (N − 1) · Σ n_i (r̄_i − r̄)² / Σ (r_ij − r̄)². Ranks are multiples of a half, so that both sums are
    // free of rounding errors, and the denominator contains the correction for ties.
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    #[test]
    fn reference_values_with_ties() {
        let t = kruskal(&[
            vec![1.0, 2.0, 2.0, 5.0],
            vec![3.0, 3.0, 4.0],
            vec![9.0, 1.0, 6.0, 6.0, 7.0],
        ]);
        assert!((t.h - 3.706_648_936_170_219_5).abs() < 1e-13, "{}", t.h);
        assert!((t.p - 0.156_715_304_309_851_67).abs() < 1e-13, "{}", t.p);
        assert_eq!(t.df, 2);
    }

    #[test]
    fn only_the_order_of_values_counts() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        for _ in 0..50 {
            let groups: Vec<Vec<f64>> = (0..rng.random_range(2..6))
                .map(|_| {
                    (0..rng.random_range(1..9)).map(|_| f64::from(rng.random_range(0..7))).collect()
                })
                .collect();
            let same = |other: Vec<Vec<f64>>| {
                let (a, b) = (kruskal(&groups), kruskal(&other));
                let close = (a.h - b.h).abs() <= 1e-12 * a.h.max(1.0);
                assert!(close || a.h.is_nan() && b.h.is_nan(), "{groups:?}: {a:?} {b:?}");
            };
            let each = |f: fn(f64) -> f64| -> Vec<Vec<f64>> {
                groups.iter().map(|g| g.iter().map(|v| f(*v)).collect()).collect()
            };
            same(groups.iter().rev().cloned().collect());
            same(groups.iter().map(|g| g.iter().rev().copied().collect()).collect());
            same(each(f64::exp));
            same(each(|v| -v));
        }
    }

    #[test]
    fn the_undefined_is_no_difference() {
        for groups in [
            vec![vec![1.0; 3], vec![1.0; 3]],
            vec![vec![1.0, 2.0], vec![]],
            vec![vec![1.0, 2.0], vec![f64::NAN]],
            vec![vec![1.0, 2.0]],
            vec![],
        ] {
            let t = kruskal(&groups);
            assert!(t.p.is_nan() && !t.significant(0.05), "{groups:?}");
        }
    }
}
