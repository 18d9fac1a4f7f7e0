//! Cholesky factorisation of small symmetric positive definite matrices (LAPACK with the feature `lapack`, else
//! [`portable`](super::portable)).

use ndarray::{Array1, Array2, ArrayView1};
#[cfg(feature = "lapack")]
use ndarray_linalg::{Inverse as _, Lapack, MatrixLayout, UPLO};

#[cfg(not(feature = "lapack"))]
use super::portable;
use super::{
    mirror::{to_lower, to_upper},
    triangular,
    vector::{axpy, dot},
};

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
        Self::of(a.as_standard_layout().into_owned())
    }

    /// Factors `a` (n×n; the lower triangle is read) in its own memory, if it is kept by rows.
    ///
    /// # Errors
    /// If `a` is not positive definite.
    pub fn of(a: Array2<f64>) -> Result<Self, NotPositiveDefinite> {
        let n = a.nrows();
        let mut lower =
            if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() };
        let rows = lower.as_slice_mut().expect("in standard layout");
        // Not only until the first that is not, so that many are looked at together.
        if !rows.iter().fold(true, |all, v| all & v.is_finite()) {
            return Err(NotPositiveDefinite(n));
        }
        to_upper(rows, n);
        factor_upper(rows, n)?;
        to_lower(rows, n);
        for i in 0..n {
            rows[i * n + i + 1..(i + 1) * n].fill(0.0);
        }
        Ok(Self { lower })
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
        #[cfg(feature = "lapack")]
        let inverse = self.lower.inv().expect("a Cholesky factor has a positive diagonal");
        #[cfg(not(feature = "lapack"))]
        let inverse = self.inverse_lower();
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
        let mut rows = vec![0.0; n * n];
        triangular::invert(self.lower.as_slice().expect("kept by rows"), n, &mut rows);
        Array2::from_shape_vec((n, n), rows).expect("n rows of n")
    }

    /// A⁻¹ (n×n), the product of L⁻ᵀ and L⁻¹ without the places that are zero: a third of the work of
    /// [`Cholesky::inverse`].
    pub fn precision(&self) -> Array2<f64> {
        let n = self.order();
        let inverse = self.inverse_lower();
        let mut rows = vec![0.0; n * n];
        triangular::gram(inverse.as_slice().expect("kept by rows"), n, &mut rows);
        to_upper(&mut rows, n);
        Array2::from_shape_vec((n, n), rows).expect("n rows of n")
    }

    /// ln det A.
    pub fn ln_det(&self) -> f64 {
        2.0 * self.lower.diag().iter().map(|d| d.ln()).sum::<f64>()
    }
}

/// Replaces the upper triangle of a matrix (n×n, by rows) by Lᵀ; what is below the diagonal is not read.
#[cfg(feature = "lapack")]
fn factor_upper(a: &mut [f64], n: usize) -> Result<(), NotPositiveDefinite> {
    let order = i32::try_from(n).map_err(|_| NotPositiveDefinite(n))?;
    // LAPACK reads by columns, so that rows above the diagonal are columns below it. Its binding's own way there and back
    // takes as long as the factorisation of a thousand rows.
    let layout = MatrixLayout::F { col: order, lda: order };
    f64::cholesky(layout, UPLO::Lower, a).map_err(|_| NotPositiveDefinite(n))
}

/// Replaces the upper triangle of a matrix (n×n, by rows) by Lᵀ; what is below the diagonal is not read.
#[cfg(not(feature = "lapack"))]
fn factor_upper(a: &mut [f64], n: usize) -> Result<(), NotPositiveDefinite> {
    if portable::cholesky::factor(a, n) { Ok(()) } else { Err(NotPositiveDefinite(n)) }
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
        for inverse in [c.inverse(), c.precision()] {
            assert!((a.dot(&inverse) - Array2::<f64>::eye(3)).iter().all(|r| r.abs() < 1e-14));
        }
        let identity = c.inverse_lower().dot(&c.lower) - Array2::<f64>::eye(3);
        assert!(identity.iter().all(|r| r.abs() < 1e-15), "{identity}");
        let back = c.solve_lower(Array1::from(c.times_lower(&[1.0, -2.0, 0.5])).view());
        assert!((back - &b).iter().all(|r| r.abs() < 1e-15));
        let det = 4.0 * (15.0 - 1.0) - 2.0 * (6.0 - 0.6) + 0.6 * (2.0 - 3.0);
        assert!((c.ln_det() - f64::ln(det)).abs() < 1e-14);
        let y = c.solve_lower(b.view());
        assert!((y.dot(&y) - b.dot(&x)).abs() < 1e-14);
    }

    #[cfg(feature = "lapack")]
    #[test]
    fn the_factor_is_that_of_the_binding_bit_for_bit() {
        use ndarray_linalg::Cholesky as _;

        for n in [1, 2, 31, 32, 33, 64, 131] {
            let near = |i: usize, j: usize| (-((i as f64 - j as f64) / 5.0).powi(2)).exp();
            let mut a =
                Array2::from_shape_fn((n, n), |(i, j)| near(i, j) + f64::from(u8::from(i == j)));
            let expected = a.cholesky(UPLO::Lower).unwrap();
            let same = |c: Cholesky| c.lower().iter().zip(&expected).all(|(a, b)| a == b);
            assert!(same(Cholesky::new(&a).unwrap()), "{n} rows");
            // Only the lower triangle is read, in either layout.
            for i in 0..n {
                a.row_mut(i).iter_mut().skip(i + 1).for_each(|above| *above = 7.0);
            }
            assert!(same(Cholesky::new(&a).unwrap()), "{n} rows, others above");
            let columns = a.t().as_standard_layout().into_owned().reversed_axes();
            assert!(same(Cholesky::new(&columns).unwrap()), "{n} columns");
        }
    }

    #[cfg(feature = "lapack")]
    #[test]
    fn the_factor_without_lapack_is_as_near_as_rounding_lets_it_be() {
        use crate::linalg::portable;

        for n in [1, 5, 32, 33, 131] {
            let near = |i: usize, j: usize| (-((i as f64 - j as f64) / 5.0).powi(2)).exp();
            let a =
                Array2::from_shape_fn((n, n), |(i, j)| near(i, j) + f64::from(u8::from(i == j)));
            let expected = Cholesky::new(&a).unwrap();
            let mut own = a.as_slice().unwrap().to_vec();
            assert!(portable::cholesky::factor(&mut own, n));
            for (i, row) in expected.lower().t().rows().into_iter().enumerate() {
                let pairs = row.iter().zip(&own[i * n..]).skip(i).take(n - i);
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14), "row {i} of {n}");
            }
        }
    }

    #[test]
    fn refuses_indefinite_and_nan() {
        assert!(Cholesky::new(&array![[1.0, 2.0], [2.0, 1.0]]).is_err());
        assert!(Cholesky::new(&array![[f64::NAN, 0.0], [0.0, 1.0]]).is_err());
    }
}
