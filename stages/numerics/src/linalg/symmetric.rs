//! Eigenvalues and eigenvectors of small symmetric matrices (LAPACK with the feature `lapack`, else
//! [`portable`](super::portable)).

use ndarray::{Array1, Array2};
#[cfg(feature = "lapack")]
use ndarray_linalg::{Eigh as _, UPLO};

#[cfg(not(feature = "lapack"))]
use super::portable;

/// The parts of a matrix whose elements are finite; `None` if the iteration does not converge.
#[cfg(feature = "lapack")]
fn parts(a: &Array2<f64>) -> Option<(Array1<f64>, Array2<f64>)> {
    a.eigh(UPLO::Lower).ok()
}

/// The parts of a matrix whose elements are finite; `None` if the iteration does not converge.
#[cfg(not(feature = "lapack"))]
fn parts(a: &Array2<f64>) -> Option<(Array1<f64>, Array2<f64>)> {
    let n = a.nrows();
    let by_rows = a.as_standard_layout();
    let (values, rows) = portable::tridiagonal::eigen(by_rows.as_slice()?, n)?;
    let rows = Array2::from_shape_vec((n, n), rows).expect("n rows of n");
    Some((Array1::from(values), rows.reversed_axes()))
}

/// The eigenvalues of a symmetric matrix (n×n; the lower triangle is read), ascending; NaN if an
/// element is not finite.
pub fn eigenvalues(a: &Array2<f64>) -> Vec<f64> {
    if a.is_empty() || !a.iter().all(|v| v.is_finite()) {
        return vec![f64::NAN; a.nrows()];
    }
    parts(a).map_or_else(|| vec![f64::NAN; a.nrows()], |(values, _)| values.to_vec())
}

/// The eigenvalues (length n), ascending, with their eigenvectors as columns (n×n), of a symmetric matrix (n×n;
/// the lower triangle is read); NaN if an element is not finite.
pub fn decomposed(a: &Array2<f64>) -> (Array1<f64>, Array2<f64>) {
    let nothing = || {
        let n = a.nrows();
        (Array1::from_elem(n, f64::NAN), Array2::from_elem((n, n), f64::NAN))
    };
    if a.is_empty() || !a.iter().all(|v| v.is_finite()) {
        return nothing();
    }
    parts(a).unwrap_or_else(nothing)
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
    fn a_matrix_is_the_product_of_its_parts() {
        let a = array![[2.0, 1.0, 0.3], [1.0, 2.0, -0.1], [0.3, -0.1, 0.5]];
        let (values, vectors) = decomposed(&a);
        let again = (&vectors * &values).dot(&vectors.t());
        assert!((&again - &a).iter().all(|d| d.abs() < 1e-14), "{again}");
        assert_eq!(values.to_vec(), eigenvalues(&a));
        assert!(decomposed(&array![[f64::NAN]]).0[0].is_nan());
    }

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let values = eigenvalues(&array![[2.0, 1.0], [1.0, 2.0]]);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
        assert!(largest(&array![[f64::NAN]]).is_nan());
        assert!(largest(&Array2::zeros((0, 0))).is_nan());
    }
}
