//! Cholesky factorisation of small symmetric positive definite matrices (LAPACK).

use ndarray::{Array1, Array2, ArrayView1};
use ndarray_linalg::{Cholesky as _, Inverse as _, UPLO};

use super::vector::{axpy, dot};

/// The matrix is not positive definite to working precision, or not finite.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
#[error("matrix of order {0} is not positive definite")]
pub struct NotPositiveDefinite(pub usize);

/// A = L Lᵀ with L lower triangular (n×n).
#[derive(Debug, Clone)]
pub struct Cholesky {
    lower: Array2<f64>,
}

impl Cholesky {
    /// Factors `a` (n×n; the lower triangle is read).
    ///
    /// # Errors
    /// If `a` is not positive definite.
    pub fn new(a: &Array2<f64>) -> Result<Self, NotPositiveDefinite> {
        let n = a.nrows();
        // Row by row, because the iterator over both dimensions at once takes a tenth of a factorisation's
        // time.
        if !a.rows().into_iter().all(|row| row.iter().all(|v| v.is_finite())) {
            return Err(NotPositiveDefinite(n));
        }
        match a.cholesky(UPLO::Lower) {
            // Stored by rows, as the solves below read it.
            Ok(lower) => Ok(Self { lower: lower.as_standard_layout().into_owned() }),
            Err(_) => Err(NotPositiveDefinite(n)),
        }
    }

    /// Number of rows.
    pub fn order(&self) -> usize {
        self.lower.nrows()
    }

    /// L (n×n, zero above its diagonal).
    pub fn lower(&self) -> &Array2<f64> {
        &self.lower
    }

    /// L⁻¹ b.
    pub fn solve_lower(&self, b: ArrayView1<'_, f64>) -> Array1<f64> {
        let mut x: Vec<f64> = b.to_vec();
        for i in 0..x.len() {
            let row = self.row(i);
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
        Array1::from(x)
    }

    /// L⁻ᵀ b.
    pub fn solve_upper(&self, b: ArrayView1<'_, f64>) -> Array1<f64> {
        let mut x: Vec<f64> = b.to_vec();
        for i in (0..x.len()).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let own = x[i];
            axpy(-own, &row[..i], &mut x[..i]);
        }
        Array1::from(x)
    }

    /// Row `i` of L. LAPACK's solver for one vector would copy the matrix first, which takes longer than the
    /// solve.
    fn row(&self, i: usize) -> &[f64] {
        let n = self.order();
        &self.lower.as_slice().expect("kept by rows")[i * n..(i + 1) * n]
    }

    /// A⁻¹ b.
    pub fn solve(&self, b: ArrayView1<'_, f64>) -> Array1<f64> {
        self.solve_upper(self.solve_lower(b).view())
    }

    /// A⁻¹ (n×n).
    pub fn inverse(&self) -> Array2<f64> {
        let inverse = self.lower.inv().expect("a Cholesky factor has a positive diagonal");
        inverse.t().dot(&inverse)
    }

    /// L b.
    pub fn times_lower(&self, b: &[f64]) -> Vec<f64> {
        let row = |i: usize| (0..=i).map(|k| self.lower[(i, k)] * b[k]).sum();
        (0..self.order()).map(row).collect()
    }

    /// L⁻¹ (n×n), lower triangular.
    pub fn inverse_lower(&self) -> Array2<f64> {
        let n = self.order();
        let mut rows: Vec<f64> = vec![0.0; n * n];
        for i in 0..n {
            let (above, rest) = rows.split_at_mut(i * n);
            let row = &mut rest[..=i];
            row[i] = 1.0;
            for k in 0..i {
                axpy(-self.lower[(i, k)], &above[k * n..=k * n + k], &mut row[..=k]);
            }
            for v in row.iter_mut() {
                *v /= self.lower[(i, i)];
            }
        }
        Array2::from_shape_vec((n, n), rows).expect("n rows of n")
    }

    /// ln det A.
    pub fn ln_det(&self) -> f64 {
        2.0 * self.lower.diag().iter().map(|d| d.ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn factors_solves_and_inverts_a_known_matrix() {
        let a = array![[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]];
        let c = Cholesky::new(&a).unwrap();
        let b = array![1.0, -2.0, 0.5];
        let x = c.solve(b.view());
        assert!((a.dot(&x) - &b).iter().all(|r| r.abs() < 1e-14));
        assert!((a.dot(&c.inverse()) - Array2::<f64>::eye(3)).iter().all(|r| r.abs() < 1e-14));
        let identity = c.inverse_lower().dot(&c.lower) - Array2::<f64>::eye(3);
        assert!(identity.iter().all(|r| r.abs() < 1e-15), "{identity}");
        let back = c.solve_lower(Array1::from(c.times_lower(&[1.0, -2.0, 0.5])).view());
        assert!((back - &b).iter().all(|r| r.abs() < 1e-15));
        let det = 4.0 * (15.0 - 1.0) - 2.0 * (6.0 - 0.6) + 0.6 * (2.0 - 3.0);
        assert!((c.ln_det() - f64::ln(det)).abs() < 1e-14);
        let y = c.solve_lower(b.view());
        assert!((y.dot(&y) - b.dot(&x)).abs() < 1e-14);
    }

    #[test]
    fn refuses_indefinite_and_nan() {
        assert!(Cholesky::new(&array![[1.0, 2.0], [2.0, 1.0]]).is_err());
        assert!(Cholesky::new(&array![[f64::NAN, 0.0], [0.0, 1.0]]).is_err());
    }
}
