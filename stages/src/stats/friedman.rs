//! Friedman's test: do several treatments differ over the same blocks? \[Friedman1937\].

use ndarray::{Array2, ArrayView2};

use super::better::Better;
use super::distribution::chi_squared_sf;
use super::ranks::ranks;

/// What the test found.
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// The statistic, corrected for ties; NaN if all values are equal within every block, or one is
    /// NaN.
    pub chi_squared: f64,
    /// Treatments less one.
    pub df: usize,
    /// P(`chi_squared` or more); NaN where that is, and for fewer than two treatments.
    pub p: f64,
    /// Mean rank of each treatment over the blocks; 1 is best.
    pub average_ranks: Vec<f64>,
}

/// Tests the columns (treatments) of `values` over its rows (blocks).
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
