//! Eigenvalues of small symmetric matrices (LAPACK).

use ndarray::Array2;
use ndarray_linalg::{Eigh as _, UPLO};

/// The eigenvalues of a symmetric matrix (n×n; the lower triangle is read), ascending; NaN if an
/// element is not finite.
pub fn eigenvalues(a: &Array2<f64>) -> Vec<f64> {
    if a.is_empty() || !a.iter().all(|v| v.is_finite()) {
        return vec![f64::NAN; a.nrows()];
    }
    match a.eigh(UPLO::Lower) {
        Ok((values, _)) => values.to_vec(),
        Err(_) => vec![f64::NAN; a.nrows()],
    }
}

/// The largest eigenvalue; NaN for an empty matrix or one that is not finite.
pub fn largest(a: &Array2<f64>) -> f64 {
    eigenvalues(a).last().copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let values = eigenvalues(&array![[2.0, 1.0], [1.0, 2.0]]);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
        assert!(largest(&array![[f64::NAN]]).is_nan());
        assert!(largest(&Array2::zeros((0, 0))).is_nan());
    }
}
