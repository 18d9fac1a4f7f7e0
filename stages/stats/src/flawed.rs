//! The corrections for multiple tests as the SMOOTHIE authors' public code makes them. They are wrong, and
//! kept only for the audit of published tables.
//!
//! Both take the whole k × k matrix of pairwise p values: each pair counts twice, and the diagonal
//! contributes k certain rejections. The number of tests is k² in place of k(k−1)/2, and every pair's rank is
//! k too high, so that most adjusted p values come out too small.

use ndarray::Array2;

use super::adjust::benjamini_hochberg;

/// The matrix: `p` of each pair i < j on both sides of a zero diagonal.
#[must_use]
pub fn matrix(k: usize, p: impl Fn(usize, usize) -> f64) -> Array2<f64> {
    Array2::from_shape_fn((k, k), |(i, j)| if i == j { 0.0 } else { p(i.min(j), i.max(j)) })
}

/// Benjamini–Hochberg over all entries of the matrix.
#[must_use]
pub fn bh_of_matrix(p: &Array2<f64>) -> Array2<f64> {
    let flat: Vec<f64> = p.iter().copied().collect();
    let adjusted = benjamini_hochberg(&flat);
    Array2::from_shape_fn(p.dim(), |(i, j)| adjusted[i * p.ncols() + j])
}

/// The two-stage variant of the Bayesmark scripts, over all entries of the matrix: adjusted p values times
/// the share of entries that a first Benjamini–Hochberg pass at `alpha` keeps, unless it rejects none or all
/// (then they are unchanged). With the diagonal among the rejections the share is too small a second time.
#[must_use]
pub fn two_stage_bh_of_matrix(p: &Array2<f64>, alpha: f64) -> Array2<f64> {
    let first = bh_of_matrix(p);
    let kept = first.iter().filter(|v| **v > alpha).count();
    if kept == 0 || kept == first.len() {
        return first;
    }
    let share = kept as f64 / first.len() as f64;
    first.mapv(|v| v * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_and_the_diagonal_shrink_p() {
        let pairs = [[0.0, 0.04, 0.5], [0.04, 0.0, 0.03], [0.5, 0.03, 0.0]];
        let p = matrix(3, |i, j| pairs[i][j]);
        let flawed = bh_of_matrix(&p);
        // Nine entries: 0, 0, 0, 0.03, 0.03, 0.04, 0.04, 0.5, 0.5.
        assert!((flawed[(1, 2)] - 0.04 * 9.0 / 7.0).abs() < 1e-15);
        assert!((flawed[(0, 1)] - 0.04 * 9.0 / 7.0).abs() < 1e-15);
        assert_eq!((flawed[(2, 0)], flawed[(1, 1)]), (0.5, 0.0));
        // Proper: 3 tests.
        assert!((benjamini_hochberg(&[0.04, 0.5, 0.03])[0] - 0.06).abs() < 1e-15);
        // The first pass at 10% keeps the two entries of 0.5 alone.
        let twice = two_stage_bh_of_matrix(&p, 0.1);
        assert!((twice[(0, 2)] - 0.5 * 2.0 / 9.0).abs() < 1e-15);
        // One that keeps none changes nothing.
        assert_eq!(two_stage_bh_of_matrix(&p, 0.6), flawed);
    }
}
