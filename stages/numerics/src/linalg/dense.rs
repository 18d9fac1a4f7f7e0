//! Row-major dense kernels.

use super::vector::dot_lanes;
use crate::linalg::simd_dispatch::{Weigh, WeighClasses, wide};

/// The largest number of rows handled together.
const MAX_BLOCK: usize = 64;

/// Rows of a block, which stays in the first- or second-level cache between the two half passes. It is a
/// multiple of 16, so that the weights of a block fill whole registers, and large, since a large matrix
/// streams from memory more quickly if the half passes alternate less often.
fn block_rows(n_cols: usize) -> usize {
    (8192 / n_cols.max(1)).clamp(16, MAX_BLOCK) / 16 * 16
}

wide! {
    /// out ← A x for row-major `a` with `n_cols` columns.
    pub fn times['a]['a](a: &'a [f64], n_cols: usize, x: &'a [f64], out: &'a mut [f64]) -> () {
        products(a, n_cols, x, out);
    }
}

/// out ← A x. One row at a time: a large matrix then streams from memory in order, which measured faster than
/// two or four interleaved rows that share the loads of x.
#[inline(always)]
fn products(a: &[f64], n_cols: usize, x: &[f64], out: &mut [f64]) {
    for (row, slot) in a.chunks_exact(n_cols).zip(out) {
        *slot = dot_lanes(row, x);
    }
}

/// out += Σ wᵣ aᵣ over the rows of `a`.
#[inline(always)]
fn add_rows(a: &[f64], n_cols: usize, w: &[f64], out: &mut [f64]) {
    add_rows_from(a, n_cols, 0, w, out);
}

/// As [`add_rows`] for the columns from `from` on, four rows at a time, so that `out` is touched a quarter as
/// often.
#[inline(always)]
fn add_rows_from(a: &[f64], n_cols: usize, from: usize, w: &[f64], out: &mut [f64]) {
    let mut weights = w.chunks_exact(4);
    let mut rows = a.chunks_exact(4 * n_cols);
    for (v, four) in (&mut weights).zip(&mut rows) {
        let (a0, rest) = four.split_at(n_cols);
        let (a1, rest) = rest.split_at(n_cols);
        let (a2, a3) = rest.split_at(n_cols);
        let columns = a0[from..].iter().zip(&a1[from..]).zip(&a2[from..]).zip(&a3[from..]);
        for (o, (((p, q), r), s)) in out.iter_mut().zip(columns) {
            let low = v[1].mul_add(*q, v[0] * p);
            *o += v[3].mul_add(*s, v[2].mul_add(*r, low));
        }
    }
    for (v, row) in weights.remainder().iter().zip(rows.remainder().chunks_exact(n_cols)) {
        for (o, p) in out.iter_mut().zip(&row[from..]) {
            *o = v.mul_add(*p, *o);
        }
    }
}

wide! {
    /// out += Aᵀ w.
    pub fn add_transpose_times['a]['a](
        a: &'a [f64],
        n_cols: usize,
        w: &'a [f64],
        out: &'a mut [f64],
    ) -> () {
        add_rows(a, n_cols, w, out);
    }
}

wide! {
    /// out += Σᵢ wᵢ aᵢ with w = weigh(first row, A x) taken block by block: one pass over the
    /// matrix gives a gradient or a Hessian-vector product.
    pub fn fused['a, W: Weigh]['a, W](
        a: &'a [f64],
        n_cols: usize,
        x: &'a [f64],
        out: &'a mut [f64],
        weigh: &'a mut W,
    ) -> () {
        let rows = block_rows(n_cols);
        let mut z = [0.0; MAX_BLOCK];
        for (b, block) in a.chunks(rows * n_cols).enumerate() {
            let z = &mut z[..block.len() / n_cols];
            products(block, n_cols, x, z);
            weigh.weigh(b * rows, z);
            add_rows(block, n_cols, z, out);
        }
    }
}

/// [`add_gram`] starts each row of the product at a column that is a multiple of this, so that few entries
/// below the diagonal are computed and the rest fills whole registers.
const GRAM_STEP: usize = 8;

wide! {
    /// gram ← Aᵀ diag(w) A, `n_cols` × `n_cols`, row-major and symmetric to the bit.
    pub fn gram['a]['a](a: &'a [f64], n_cols: usize, w: &'a [f64], gram: &'a mut [f64]) -> () {
        gram.fill(0.0);
        let rows = block_rows(n_cols);
        let mut scaled = [0.0; MAX_BLOCK];
        for (block, w) in a.chunks(rows * n_cols).zip(w.chunks(rows)) {
            for (i, out) in gram.chunks_exact_mut(n_cols).enumerate() {
                let scaled = &mut scaled[..w.len()];
                for ((s, row), v) in scaled.iter_mut().zip(block.chunks_exact(n_cols)).zip(w) {
                    *s = v * row[i];
                }
                let from = i / GRAM_STEP * GRAM_STEP;
                add_rows_from(block, n_cols, from, scaled, &mut out[from..]);
            }
        }
        for i in 0..n_cols {
            for j in 0..i {
                gram[i * n_cols + j] = gram[j * n_cols + i];
            }
        }
    }
}

wide! {
    /// As [`fused`] for several vectors at once: `x` and `out` hold one row of `n_cols` per class.
    pub fn class_fused['a, W: WeighClasses]['a, W](
        a: &'a [f64],
        n_cols: usize,
        x: &'a [f64],
        out: &'a mut [f64],
        weigh: &'a mut W,
    ) -> () {
        let rows = block_rows(n_cols);
        let classes = x.len() / n_cols;
        let mut buffer = vec![0.0; rows * classes];
        for (b, block) in a.chunks(rows * n_cols).enumerate() {
            let n = block.len() / n_cols;
            let z = &mut buffer[..n * classes];
            for (x_c, z_c) in x.chunks_exact(n_cols).zip(z.chunks_exact_mut(n)) {
                products(block, n_cols, x_c, z_c);
            }
            weigh.weigh(b * rows, n, z);
            for (out_c, z_c) in out.chunks_exact_mut(n_cols).zip(z.chunks_exact(n)) {
                add_rows(block, n_cols, z_c, out_c);
            }
        }
    }
}

wide! {
    /// Σᵢⱼ wᵢ aᵢⱼ bᵢⱼ xⱼ for two matrices of one shape.
    pub fn weighted_product['a]['a](w: &'a [f64], a: &'a [f64], b: &'a [f64], x: &'a [f64]) -> f64 {
        let mut scaled = vec![0.0; x.len()];
        let mut total = 0.0;
        for ((row, other), wi) in a.chunks_exact(x.len()).zip(b.chunks_exact(x.len())).zip(w) {
            for ((s, p), q) in scaled.iter_mut().zip(row).zip(other) {
                *s = p * q;
            }
            total = wi.mul_add(dot_lanes(&scaled, x), total);
        }
        total
    }
}
