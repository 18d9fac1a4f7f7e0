//! A sparse matrix in compressed rows.

use crate::linalg::simd_dispatch::{Weigh, WeighClasses, wide};

/// Rows handled together: their entries stay in the first-level cache between the two half passes.
const BLOCK: usize = 16;

/// Why a sparse matrix was refused.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Error {
    /// The row starts do not increase from 0 to the number of entries.
    #[error("row starts must rise from 0 to the number of entries ({0})")]
    RowStarts(usize),
    /// A column index is outside the matrix.
    #[error("column {column} of a matrix with {n_cols} columns")]
    Column {
        /// The index found.
        column: u32,
        /// Number of columns.
        n_cols: usize,
    },
    /// Values and column indices differ in number, or a value is not finite.
    #[error("entry {0} has no value or no column, or its value is not finite")]
    Entry(usize),
}

/// A sparse matrix in compressed rows, checked once at construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    n_cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Csr {
    /// Builds a `starts.len() − 1` × `n_cols` matrix; row i owns entries `starts[i]..starts[i+1]`.
    ///
    /// # Errors
    /// If the parts do not describe a matrix of finite values.
    pub fn new(
        n_cols: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, Error> {
        let n = values.len().min(columns.len());
        if values.len() != columns.len() {
            return Err(Error::Entry(n));
        }
        let rises = starts.windows(2).all(|w| w[0] <= w[1]);
        if starts.first() != Some(&0) || starts.last() != Some(&n) || !rises {
            return Err(Error::RowStarts(n));
        }
        if let Some(&column) = columns.iter().find(|&&c| c as usize >= n_cols) {
            return Err(Error::Column { column, n_cols });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::Entry(at));
        }
        Ok(Self { n_cols, starts, columns, values })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Columns and values of row i.
    #[inline(always)]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The matrix of the chosen rows, in the given order; rows must exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut out =
            Self { n_cols: self.n_cols, starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for &i in rows {
            let (columns, values) = self.row(i);
            out.columns.extend_from_slice(columns);
            out.values.extend_from_slice(values);
            out.starts.push(out.columns.len());
        }
        out
    }

    /// aᵢ·x with four independent sums, folded in a fixed order.
    #[inline(always)]
    fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        let mut lanes = [0.0_f64; 4];
        let (mut c, mut v) = (columns.chunks_exact(4), values.chunks_exact(4));
        for (cs, vs) in (&mut c).zip(&mut v) {
            for l in 0..4 {
                lanes[l] = vs[l].mul_add(x[cs[l] as usize], lanes[l]);
            }
        }
        for (l, (cs, vs)) in c.remainder().iter().zip(v.remainder()).enumerate() {
            lanes[l] = vs.mul_add(x[*cs as usize], lanes[l]);
        }
        (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    }

    /// out += w aᵢ.
    #[inline(always)]
    fn row_axpy(&self, i: usize, w: f64, out: &mut [f64]) {
        let (columns, values) = self.row(i);
        for (c, v) in columns.iter().zip(values) {
            let slot = &mut out[*c as usize];
            *slot = w.mul_add(*v, *slot);
        }
    }

    /// out ← A x.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        times(self, x, out);
    }

    /// out += Σᵢ wᵢ aᵢ with w = weigh(A x) taken block by block, in one pass over the entries.
    pub fn fused(&self, x: &[f64], out: &mut [f64], weigh: &mut impl Weigh) {
        fused(self, x, out, weigh);
    }

    /// As [`Csr::fused`] for several vectors at once: `x` and `out` hold one row of `n_cols` per class.
    pub fn class_fused(&self, x: &[f64], out: &mut [f64], weigh: &mut impl WeighClasses) {
        class_fused(self, x, out, weigh);
    }

    /// out += Aᵀ w.
    pub fn add_transpose_times(&self, w: &[f64], out: &mut [f64]) {
        add_transpose_times(self, w, out);
    }
}

wide! {
    fn times['a]['a](a: &'a Csr, x: &'a [f64], out: &'a mut [f64]) -> () {
        for (i, o) in out.iter_mut().enumerate() {
            *o = a.row_dot(i, x);
        }
    }
}

wide! {
    fn add_transpose_times['a]['a](a: &'a Csr, w: &'a [f64], out: &'a mut [f64]) -> () {
        for (i, &wi) in w.iter().enumerate() {
            a.row_axpy(i, wi, out);
        }
    }
}

wide! {
    fn fused['a, W: Weigh]['a, W](
        a: &'a Csr,
        x: &'a [f64],
        out: &'a mut [f64],
        weigh: &'a mut W,
    ) -> () {
        let mut block = [0.0; BLOCK];
        for first in (0..a.n_rows()).step_by(BLOCK) {
            let rows = BLOCK.min(a.n_rows() - first);
            for (r, z) in block[..rows].iter_mut().enumerate() {
                *z = a.row_dot(first + r, x);
            }
            weigh.weigh(first, &mut block[..rows]);
            for (r, &w) in block[..rows].iter().enumerate() {
                a.row_axpy(first + r, w, out);
            }
        }
    }
}

wide! {
    fn class_fused['a, W: WeighClasses]['a, W](
        a: &'a Csr,
        x: &'a [f64],
        out: &'a mut [f64],
        weigh: &'a mut W,
    ) -> () {
        let p = a.n_cols;
        let classes = x.len() / p;
        let mut buffer = vec![0.0; BLOCK * classes];
        for first in (0..a.n_rows()).step_by(BLOCK) {
            let rows = BLOCK.min(a.n_rows() - first);
            let z = &mut buffer[..rows * classes];
            for (x_c, z_c) in x.chunks_exact(p).zip(z.chunks_exact_mut(rows)) {
                for (r, t) in z_c.iter_mut().enumerate() {
                    *t = a.row_dot(first + r, x_c);
                }
            }
            weigh.weigh(first, rows, z);
            for (out_c, z_c) in out.chunks_exact_mut(p).zip(z.chunks_exact(rows)) {
                for (r, w) in z_c.iter().enumerate() {
                    a.row_axpy(first + r, *w, out_c);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_parts_are_refused() {
        assert_eq!(Csr::new(2, vec![0, 2], vec![0], vec![1.0]), Err(Error::RowStarts(1)));
        assert_eq!(Csr::new(2, vec![], vec![], vec![]), Err(Error::RowStarts(0)));
        assert_eq!(
            Csr::new(2, vec![0, 1], vec![2], vec![1.0]),
            Err(Error::Column { column: 2, n_cols: 2 })
        );
        assert_eq!(Csr::new(2, vec![0, 1], vec![0], vec![f64::NAN]), Err(Error::Entry(0)));
        assert_eq!(Csr::new(2, vec![0, 1], vec![0], vec![]), Err(Error::Entry(0)));
    }

    #[test]
    fn selects_rows_in_the_given_order() {
        let a = Csr::new(3, vec![0, 2, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0]).unwrap();
        let b = a.select(&[2, 0]);
        assert_eq!(b, Csr::new(3, vec![0, 1, 3], vec![1, 0, 2], vec![3.0, 1.0, 2.0]).unwrap());
    }
}
