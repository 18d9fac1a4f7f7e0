//! The penalised quadratic model of a Newton step, minimised by coordinate descent \[Lee2014\].

use ndarray::Array2;
use numerics::linalg::simd_dispatch::wide;

/// Rows of the second derivative are padded to a multiple of this and so fill whole registers.
const LANES: usize = 8;

/// The model g·d + ½ dᵀHd + Σ l1ᵢ |wᵢ + dᵢ| of an objective around the weights w, for a step d.
pub(super) struct QuadraticModel<'a> {
    w: &'a [f64],
    g: &'a [f64],
    l1: &'a [f64],
    /// H, each row padded with zeros to `stride`.
    h: Vec<f64>,
    stride: usize,
}

impl<'a> QuadraticModel<'a> {
    /// The model at the weights `w` with the slopes `g`, the penalties `l1` and the second derivative `h`.
    pub(super) fn new(w: &'a [f64], g: &'a [f64], l1: &'a [f64], h: &Array2<f64>) -> Self {
        let stride = h.ncols().next_multiple_of(LANES);
        let mut rows = vec![0.0; h.nrows() * stride];
        for (row, values) in rows.chunks_exact_mut(stride).zip(h.rows()) {
            row.iter_mut().zip(values).for_each(|(slot, v)| *slot = *v);
        }
        Self { w, g, l1, h: rows, stride }
    }

    /// The step with the smallest value, to the point where no condition of optimality is violated by more than
    /// `target`.
    pub(super) fn minimise(&self, target: f64) -> Vec<f64> {
        descend(self, target)
    }
}

/// How far the slope `g` of the smooth part is from optimal at the weight `w`.
#[inline(always)]
pub(super) fn violation(w: f64, g: f64, l1: f64) -> f64 {
    if w == 0.0 { (g.abs() - l1).max(0.0) } else { (g + l1 * w.signum()).abs() }
}

wide! {
    /// [`QuadraticModel::minimise`].
    fn descend['a]['a](model: &'a QuadraticModel<'a>, target: f64) -> Vec<f64> {
        const SWEEPS: usize = 2000;
        let QuadraticModel { w, g, l1, ref h, stride } = *model;
        let mut d = vec![0.0; w.len()];
        let mut slope = vec![0.0; stride];
        slope[..g.len()].copy_from_slice(g);
        for sweep in 0..SWEEPS {
            // Most weights of a sparse solution stay at zero: they are visited in every eighth sweep, and only
            // such a sweep can end the descent.
            let all = sweep % 8 == 0;
            let mut worst = 0.0_f64;
            for (i, row) in h.chunks_exact(stride).enumerate() {
                let (at, curvature, l1) = (w[i] + d[i], row[i], l1[i]);
                if at == 0.0 && !all {
                    continue;
                }
                worst = worst.max(violation(at, slope[i], l1));
                let free = at - slope[i] / curvature;
                let shrunk = free.signum() * (free.abs() - l1 / curvature).max(0.0);
                let step = shrunk - at;
                if step != 0.0 && step.is_finite() {
                    d[i] += step;
                    // Compared exactly: at zero the weight leaves the model.
                    if shrunk == 0.0 {
                        d[i] = -w[i];
                    }
                    for (t, v) in slope.iter_mut().zip(row) {
                        *t = step.mul_add(*v, *t);
                    }
                }
            }
            if all && worst <= target {
                break;
            }
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_step_has_a_lower_value() {
        // More parameters than a register has numbers.
        let n = 11;
        let x = Array2::from_shape_fn((30, n), |(i, j)| {
            ((i * i * (j + 3) + j * 13) as f64 * 0.31).sin()
        });
        let h = x.t().dot(&x);
        let g: Vec<f64> = (0..n).map(|i| 9.0 * (i as f64 * 1.7).cos()).collect();
        let w: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 0.0 } else { 0.2 * i as f64 }).collect();
        let l1 = vec![2.0; n];
        let value = |d: &[f64]| {
            let d = ndarray::aview1(d);
            let smooth = 0.5 * d.dot(&h.dot(&d)) + d.dot(&ndarray::aview1(&g));
            smooth + w.iter().zip(d).zip(&l1).map(|((w, d), l)| l * (w + d).abs()).sum::<f64>()
        };
        let d = QuadraticModel::new(&w, &g, &l1, &h).minimise(1e-10);
        let least = value(&d);
        assert!(least < value(&vec![0.0; n]) - 1.0, "the step gains something");
        for i in 0..n {
            for step in [1e-4, -1e-4] {
                let mut other = d.clone();
                other[i] += step;
                assert!(value(&other) > least, "{i}: {step}");
            }
        }
        assert!(w.iter().zip(&d).any(|(w, d)| w + d == 0.0), "a weight leaves the model");
    }
}
