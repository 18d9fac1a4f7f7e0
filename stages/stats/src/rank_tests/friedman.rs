//! Friedman's test of whether several treatments differ over the same blocks \[Friedman1937\].

use ndarray::{Array2, ArrayView2};

use super::ranks::ranks;
use crate::{better::Better, distribution::chi_squared_sf};

/// The result of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// The statistic, corrected for ties; NaN if all values are equal within every block, or a value is NaN.
    pub chi_squared: f64,
    /// Degrees of freedom: the number of treatments less one.
    pub df: usize,
    /// P(`chi_squared` or more); NaN where the statistic is NaN, and for fewer than two treatments.
    pub p: f64,
    /// Mean rank of each treatment over the blocks; 1 is best.
    pub average_ranks: Vec<f64>,
}

/// Tests the columns (treatments) of `values` over its rows (blocks).
///
/// ```
/// use ndarray::array;
/// use stats::{better::Better, rank_tests::friedman::friedman};
///
/// // Three methods on four data sets: the first is always best.
/// let errors = array![[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]];
/// assert_eq!(friedman(errors.view(), Better::Lower).average_ranks, [1.0, 2.5, 2.5]);
/// ```
#[must_use]
pub fn friedman(values: ArrayView2<'_, f64>, better: Better) -> Friedman {
    let (n, k) = values.dim();
    let mut r = Array2::zeros((n, k));
    for (i, row) in values.rows().into_iter().enumerate() {
        let keys: Vec<f64> = row.iter().map(|v| better.ascending(*v)).collect();
        for (j, rank) in ranks(&keys).ranks.into_iter().enumerate() {
            r[(i, j)] = rank;
        }
    }
    // χ² = (k − 1) Σ_j (R_j − n r̄)² / Σ_ij (r_ij − r̄)², which contains the correction for ties.
    let centre = 0.5 * (k as f64 + 1.0);
    let within: f64 = r.iter().map(|v| (v - centre) * (v - centre)).sum();
    let excess = |j: usize| -> f64 { r.column(j).iter().map(|v| v - centre).sum() };
    let between: f64 = (0..k).map(|j| excess(j) * excess(j)).sum();
    let chi_squared = (k as f64 - 1.0) * between / within;
    let df = k.saturating_sub(1);
    let average_ranks = (0..k).map(|j| r.column(j).sum() / n as f64).collect();
    Friedman { chi_squared, df, p: chi_squared_sf(chi_squared, df), average_ranks }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn reference_values_with_ties() {
        let values = array![
            [9.1, 8.2, 7.0, 9.1],
            [5.5, 5.5, 5.5, 6.0],
            [3.2, 2.2, 4.2, 1.2],
            [7.7, 7.1, 6.9, 7.1],
            [0.4, 0.2, 0.1, 0.3],
            [2.0, 1.0, 1.0, 2.0]
        ];
        let t = friedman(values.view(), Better::Higher);
        assert!((t.chi_squared - 6.980_769_230_769_243).abs() < 1e-12, "{}", t.chi_squared);
        assert!((t.p - 0.072_513_254_963_188_35).abs() < 1e-12);
        for (ours, exact) in t.average_ranks.iter().zip([10.0 / 6.0, 3.0, 3.25, 12.5 / 6.0]) {
            assert!((ours - exact).abs() < 1e-15);
        }
        // The other direction reverses the ranks and leaves the test unchanged.
        let lower = friedman(values.view(), Better::Lower);
        assert!((lower.chi_squared - t.chi_squared).abs() < 1e-12);
        assert!(lower.average_ranks.iter().zip(&t.average_ranks).all(|(a, b)| a + b == 5.0));
        // Each block is ranked by itself: what is common to a block does not count.
        let shifted = Array2::from_shape_fn(values.dim(), |(i, j)| {
            (values[(i, j)] + [30.0, 0.0, -9.0, 2.0, 7.0, 1.0][i]).exp()
        });
        assert_eq!(friedman(shifted.view(), Better::Higher), t);
    }

    #[test]
    fn blocks_without_differences_show_none() {
        assert!(friedman(array![[1.0, 1.0], [2.0, 2.0]].view(), Better::Lower).p.is_nan());
        assert!(friedman(array![[1.0, f64::NAN], [1.0, 2.0]].view(), Better::Lower).p.is_nan());
        assert!(friedman(Array2::zeros((3, 1)).view(), Better::Lower).p.is_nan());
        assert!(friedman(Array2::zeros((0, 3)).view(), Better::Lower).p.is_nan());
    }
}
