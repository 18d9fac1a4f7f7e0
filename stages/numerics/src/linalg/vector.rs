//! Vector kernels: dot product, axpy, norm.
//!
//! Sums run over sixteen independent lanes that are folded in a fixed tree, so the compiler may
//! use registers of any width without changing a bit of the result.

use crate::linalg::simd_dispatch::wide;

/// Independent partial sums of a reduction.
const LANES: usize = 16;

/// aᵀb, to be inlined into a kernel that already runs wide.
#[inline(always)]
pub fn dot_lanes(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (mut left, mut right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (p, q) in (&mut left).zip(&mut right) {
        for l in 0..LANES {
            lanes[l] = p[l].mul_add(q[l], lanes[l]);
        }
    }
    for (l, (p, q)) in left.remainder().iter().zip(right.remainder()).enumerate() {
        lanes[l] = p.mul_add(*q, lanes[l]);
    }
    fold(&mut lanes)
}

/// Folds the lanes in a fixed tree.
#[inline(always)]
fn fold(lanes: &mut [f64; LANES]) -> f64 {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
    }
    lanes[0]
}

wide! {
    /// aᵀb.
    pub fn dot['a]['a](a: &'a [f64], b: &'a [f64]) -> f64 {
        dot_lanes(a, b)
    }
}

/// ‖a‖₂.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// max |aᵢ|.
pub fn max_abs(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// ‖a − b‖₂.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| (p - q) * (p - q)).sum::<f64>().sqrt()
}

wide! {
    /// y ← y + αx.
    pub fn axpy['a]['a](alpha: f64, x: &'a [f64], y: &'a mut [f64]) -> () {
        for (t, v) in y.iter_mut().zip(x) {
            *t = alpha.mul_add(*v, *t);
        }
    }
}

wide! {
    /// y ← x + βy, the direction update of conjugate gradients.
    pub fn xpby['a]['a](x: &'a [f64], beta: f64, y: &'a mut [f64]) -> () {
        for (t, v) in y.iter_mut().zip(x) {
            *t = beta.mul_add(*t, *v);
        }
    }
}

wide! {
    /// out ← x + αd.
    pub fn add_scaled['a]['a](x: &'a [f64], alpha: f64, d: &'a [f64], out: &'a mut [f64]) -> () {
        for ((t, v), s) in out.iter_mut().zip(x).zip(d) {
            *t = alpha.mul_add(*s, *v);
        }
    }
}

wide! {
    /// out ← a − b.
    pub fn subtract['a]['a](a: &'a [f64], b: &'a [f64], out: &'a mut [f64]) -> () {
        for ((t, p), q) in out.iter_mut().zip(a).zip(b) {
            *t = p - q;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_agrees_with_a_plain_sum_at_every_length() {
        for n in 0..70 {
            let a: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let b: Vec<f64> = (0..n).map(|i| (f64::from(i) * 1.3).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(p, q)| p * q).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-13, "length {n}");
        }
    }

    #[test]
    fn axpy_family_reference_values() {
        let x = [1.0, 2.0, 3.0];
        let mut y = [10.0, 20.0, 30.0];
        axpy(2.0, &x, &mut y);
        assert_eq!(y, [12.0, 24.0, 36.0]);
        xpby(&x, 0.5, &mut y);
        assert_eq!(y, [7.0, 14.0, 21.0]);
        let mut out = [0.0; 3];
        add_scaled(&x, -1.0, &y, &mut out);
        assert_eq!(out, [-6.0, -12.0, -18.0]);
        subtract(&y, &x, &mut out);
        assert_eq!(out, [6.0, 12.0, 18.0]);
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert_eq!(max_abs(&[3.0, -4.0]), 4.0);
    }
}
