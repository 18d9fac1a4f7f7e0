//! The design matrix of a data set, dense or sparse, behind one set of products.

use ndarray::Array2;

use super::{csr::Csr, dense};
use crate::linalg::simd_dispatch::{Weigh, WeighClasses};

/// A design matrix A, one row per sample.
#[derive(Debug, Clone, PartialEq)]
pub enum Design {
    /// Row-major dense matrix (standard layout; see [`Design::dense`]).
    Dense(Array2<f64>),
    /// Compressed sparse rows.
    Sparse(Csr),
}

impl Design {
    /// Wraps a dense matrix, copying it to row-major order if necessary.
    pub fn dense(a: Array2<f64>) -> Self {
        Self::Dense(if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() })
    }

    /// Number of rows (samples).
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Dense(a) => a.nrows(),
            Self::Sparse(a) => a.n_rows(),
        }
    }

    /// Number of columns (features).
    pub fn n_cols(&self) -> usize {
        match self {
            Self::Dense(a) => a.ncols(),
            Self::Sparse(a) => a.n_cols(),
        }
    }

    /// The matrix of the chosen rows, in the given order; rows must exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Dense(a) => Self::dense(a.select(ndarray::Axis(0), rows)),
            Self::Sparse(a) => Self::Sparse(a.select(rows)),
        }
    }

    /// out ← A x.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        match self {
            Self::Dense(a) => dense::times(slice(a), a.ncols(), x, out),
            Self::Sparse(a) => a.times(x, out),
        }
    }

    /// out ← Aᵀ v.
    pub fn transpose_times(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        match self {
            Self::Dense(a) => dense::add_transpose_times(slice(a), a.ncols(), v, out),
            Self::Sparse(a) => a.add_transpose_times(v, out),
        }
    }

    /// out += Aᵀ w with w = weigh(A x), in one pass over the matrix.
    ///
    /// `weigh(first, z)` is handed consecutive blocks of A x, beginning at row `first`, and
    /// replaces them by the weights.
    pub fn fused(&self, x: &[f64], out: &mut [f64], weigh: &mut impl Weigh) {
        match self {
            Self::Dense(a) => dense::fused(slice(a), a.ncols(), x, out, weigh),
            Self::Sparse(a) => a.fused(x, out, weigh),
        }
    }

    /// As [`Design::fused`] for several vectors at once: `x` and `out` hold one row of `n_cols` per class,
    /// and `weigh(first, rows, z)` replaces `z[c·rows + r] = a_{first + r}·x_c`.
    pub fn class_fused(&self, x: &[f64], out: &mut [f64], weigh: &mut impl WeighClasses) {
        match self {
            Self::Dense(a) => dense::class_fused(slice(a), a.ncols(), x, out, weigh),
            Self::Sparse(a) => a.class_fused(x, out, weigh),
        }
    }

    /// out ← Aᵀ diag(w) A, `n_cols` × `n_cols` row-major, of a dense design; `false`, with `out` as
    /// it was, for a sparse one, whose product would fill in.
    pub fn gram(&self, w: &[f64], out: &mut Vec<f64>) -> bool {
        let Self::Dense(a) = self else { return false };
        out.resize(a.ncols() * a.ncols(), 0.0);
        dense::gram(slice(a), a.ncols(), w, out);
        true
    }

    /// ‖aᵢ‖₂ of every row.
    pub fn row_norms(&self) -> Vec<f64> {
        let norm = |values: &[f64]| super::vector::norm(values);
        match self {
            Self::Dense(a) => slice(a).chunks_exact(a.ncols()).map(norm).collect(),
            Self::Sparse(a) => (0..a.n_rows()).map(|i| norm(a.row(i).1)).collect(),
        }
    }
}

/// The row-major elements of a dense design.
fn slice(a: &Array2<f64>) -> &[f64] {
    a.as_slice().expect("a dense design is built in standard layout")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(rows: usize, cols: usize, values: &[f64]) -> (Design, Design) {
        let a = Array2::from_shape_fn((rows, cols), |(i, j)| {
            let v = values[(i * cols + j) % values.len()];
            if v.abs() < 0.3 { 0.0 } else { v }
        });
        let (mut starts, mut columns, mut entries) = (vec![0], vec![], vec![]);
        for row in a.rows() {
            for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                columns.push(j as u32);
                entries.push(v);
            }
            starts.push(columns.len());
        }
        (Design::dense(a), Design::Sparse(Csr::new(cols, starts, columns, entries).unwrap()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn dense_and_sparse_products_agree_with_plain_sums(
            rows in 1_usize..90, cols in 1_usize..70,
            values in prop::collection::vec(-2.0_f64..2.0, 97),
        ) {
            let (dense, sparse) = pair(rows, cols, &values);
            let x: Vec<f64> = (0..cols).map(|j| (j as f64).sin()).collect();
            let v: Vec<f64> = (0..rows).map(|i| (i as f64).cos()).collect();
            let Design::Dense(a) = &dense else { unreachable!() };
            let ax = a.dot(&ndarray::aview1(&x));
            let atv = a.t().dot(&ndarray::aview1(&v));
            let fused: Vec<f64> = a.t().dot(&ax.mapv(|z| z * z)).to_vec();
            for d in [&dense, &sparse] {
                let mut out = vec![f64::NAN; rows];
                d.times(&x, &mut out);
                for (p, q) in out.iter().zip(&ax) {
                    prop_assert!((p - q).abs() < 1e-12);
                }
                let mut out = vec![f64::NAN; cols];
                d.transpose_times(&v, &mut out);
                for (p, q) in out.iter().zip(&atv) {
                    prop_assert!((p - q).abs() < 1e-12);
                }
                out.fill(0.0);
                let mut seen = 0;
                d.fused(&x, &mut out, &mut |first: usize, z: &mut [f64]| {
                    assert_eq!(first, seen);
                    seen += z.len();
                    for z in z.iter_mut() {
                        *z *= *z;
                    }
                });
                prop_assert_eq!(seen, rows);
                for (p, q) in out.iter().zip(&fused) {
                    prop_assert!((p - q).abs() < 1e-10 * (1.0 + q.abs()));
                }
            }
        }
    }

    #[test]
    fn several_vectors_at_once_agree_with_one_at_a_time() {
        let values: Vec<f64> = (0..97).map(|i| (f64::from(i) * 1.7).sin()).collect();
        let (dense, sparse) = pair(50, 37, &values);
        let x: Vec<f64> = (0..3 * 37).map(|i| f64::from(i).cos()).collect();
        for d in [dense, sparse] {
            let mut out = vec![0.0; x.len()];
            d.class_fused(&x, &mut out, &mut |_: usize, _: usize, z: &mut [f64]| {
                for z in z.iter_mut() {
                    *z *= *z;
                }
            });
            for c in 0..3 {
                let mut single = vec![0.0; 37];
                d.fused(&x[c * 37..][..37], &mut single, &mut |_: usize, z: &mut [f64]| {
                    for z in z.iter_mut() {
                        *z *= *z;
                    }
                });
                for (p, q) in out[c * 37..][..37].iter().zip(&single) {
                    assert!((p - q).abs() < 1e-10 * (1.0 + q.abs()));
                }
            }
        }
    }

    #[test]
    fn gram_matrices_agree_with_plain_sums_and_are_symmetric_to_the_bit() {
        let values: Vec<f64> = (0..97).map(|i| (f64::from(i) * 1.7).sin()).collect();
        for (rows, cols) in [(1, 1), (3, 7), (16, 8), (50, 37), (131, 20)] {
            let (dense, sparse) = pair(rows, cols, &values);
            let w: Vec<f64> = (0..rows).map(|i| (i as f64).cos()).collect();
            let mut out = vec![f64::NAN; 3];
            assert!(!sparse.gram(&w, &mut out));
            assert!(dense.gram(&w, &mut out));
            let Design::Dense(a) = &dense else { unreachable!() };
            let plain = a.t().dot(&(ndarray::Array2::from_diag(&ndarray::aview1(&w)).dot(a)));
            for ((i, j), v) in plain.indexed_iter() {
                assert!((out[i * cols + j] - v).abs() < 1e-12, "{rows} x {cols}: ({i}, {j})");
                assert_eq!(out[i * cols + j], out[j * cols + i]);
            }
        }
    }

    #[test]
    fn norms_of_rows() {
        let d = Design::dense(ndarray::array![[3.0, 0.0], [0.0, 2.0]]);
        assert_eq!(d.row_norms(), [3.0, 2.0]);
    }

    #[test]
    fn column_major_input_is_copied_to_rows() {
        let a = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let mut out = [0.0; 3];
        Design::dense(a.reversed_axes()).times(&[1.0, -1.0], &mut out);
        assert_eq!(out, [-3.0, -3.0, -3.0]);
    }
}
