//! Singular value decomposition of small matrices (LAPACK).

use ndarray::{Array2, ArrayView2};
use ndarray_linalg::{JobSvd, SVDDC as _};

/// A = U diag(d) Vᵀ of an n×p matrix; k = min(n, p).
#[derive(Clone, Debug)]
pub struct Singular {
    /// U (n×k), its columns orthonormal.
    pub left: Array2<f64>,
    /// d (k), descending.
    pub values: Vec<f64>,
    /// Vᵀ (k×p), its rows orthonormal.
    pub right: Array2<f64>,
}

impl Singular {
    /// The decomposition of `a`; `None` if it is empty or not finite, or the iteration does not converge.
    pub fn new(a: ArrayView2<'_, f64>) -> Option<Self> {
        if a.is_empty() || !a.iter().all(|v| v.is_finite()) {
            return None;
        }
        let (left, values, right) = a.svddc(JobSvd::Some).ok()?;
        Some(Self { left: left?, values: values.to_vec(), right: right? })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_known_matrix_is_taken_apart() {
        // Two rotations around diag(3, 1).
        let a = array![[2.0, 1.0], [1.0, 2.0], [0.0, 0.0]];
        let s = Singular::new(a.view()).unwrap();
        assert!((s.values[0] - 3.0).abs() < 1e-14 && (s.values[1] - 1.0).abs() < 1e-14);
        let scaled = &s.left * &ndarray::Array1::from(s.values.clone());
        assert!((scaled.dot(&s.right) - &a).iter().all(|r| r.abs() < 1e-14));
        assert!(
            (s.right.dot(&s.right.t()) - Array2::<f64>::eye(2)).iter().all(|r| r.abs() < 1e-14)
        );
    }

    #[test]
    fn what_has_no_decomposition_is_none() {
        assert!(Singular::new(array![[f64::NAN]].view()).is_none());
        assert!(Singular::new(Array2::zeros((0, 2)).view()).is_none());
    }
}
