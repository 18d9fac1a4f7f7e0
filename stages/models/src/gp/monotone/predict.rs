//! Prepares a monotone process for many predictions, as the search for the largest expected improvement needs
//! them.
//!
//! Taking targets and signs one after the other, the whitened covariances of a point are two triangular
//! solves with a product between them. Here all three are combined into one triangular matrix.

use ndarray::{Array2, Axis, Slice};
use numerics::linalg::{
    elementary::exp,
    simd_dispatch::wide,
    vector::{axpy, dot, dot_lanes},
};

use crate::gp::{
    Prediction,
    acquisition::{log_expected_improvement, log_expected_improvement_with_gradient},
    kernel::Kernel as Form,
    monotone::MonotoneGp,
};

/// A process with the matrix A (n + m square, lower triangular) for which the covariance of two
/// points after all observations is k(x, z) − (A k(x))ᵀ A k(z).
#[derive(Debug, Clone)]
pub struct Predictor<'a> {
    gp: &'a MonotoneGp,
    whitening: Array2<f64>,
    /// Coordinates of all elements divided by their length scales, input after input.
    columns: Vec<f64>,
}

wide! {
    /// The first two of [`Form::weights`] between a point and n others, given all coordinates divided by
    /// their length scales (those of the others input after input).
    fn weights['a]['a](
        form: Form,
        columns: &'a [f64],
        point: &'a [f64],
        zeroth: &'a mut [f64],
        first: &'a mut [f64],
    ) -> () {
        zeroth.fill(0.0);
        for (column, q) in columns.chunks_exact(zeroth.len()).zip(point) {
            for (r, v) in zeroth.iter_mut().zip(column) {
                let gap = q - v;
                *r = gap.mul_add(gap, *r);
            }
        }
        match form {
            Form::SquaredExponential => {
                for (r, w) in zeroth.iter_mut().zip(first) {
                    *r = exp(-0.5 * *r);
                    *w = *r;
                }
            }
            Form::Matern52 => {
                for (r, w) in zeroth.iter_mut().zip(first) {
                    let square = 5.0 * *r;
                    let s = square.sqrt();
                    let e = exp(-s);
                    *r = (square / 3.0 + s + 1.0) * e;
                    *w = 5.0 / 3.0 * (1.0 + s) * e;
                }
            }
        }
    }
}

wide! {
    /// out ← A k for a lower triangular `a` of as many rows as k has numbers.
    fn lower_times['a]['a](a: &'a [f64], k: &'a [f64], out: &'a mut [f64]) -> () {
        for (i, (row, slot)) in a.chunks_exact(k.len()).zip(out).enumerate() {
            *slot = dot_lanes(&row[..=i], &k[..=i]);
        }
    }
}

impl MonotoneGp {
    /// Prepares for predictions at many points.
    pub fn predictor(&self) -> Predictor<'_> {
        let (n, all) = (self.factor.order(), self.elements.len());
        let of_targets = self.factor.inverse_lower();
        let mut whitening = Array2::zeros((all, all));
        let (mut above, mut below) = whitening.view_mut().split_at(Axis(0), n);
        above.slice_axis_mut(Axis(1), Slice::from(..n)).assign(&of_targets);
        if let Some(signs) = self.signs() {
            let own = signs.factor.inverse_lower() * &signs.root;
            let cross = -own.dot(&self.whitened.t()).dot(&of_targets);
            below.slice_axis_mut(Axis(1), Slice::from(..n)).assign(&cross);
            below.slice_axis_mut(Axis(1), Slice::from(n..)).assign(&own);
        }
        let kernel = &self.hyper.kernel;
        let mut columns = Vec::with_capacity(kernel.length_scales.len() * all);
        for (d, l) in kernel.length_scales.iter().enumerate() {
            columns.extend(self.elements.iter().map(|e| e.x[d] / l));
        }
        Predictor { gp: self, whitening, columns }
    }
}

impl Predictor<'_> {
    /// A, row after row.
    fn matrix(&self) -> &[f64] {
        self.whitening.as_slice().expect("a new matrix is contiguous")
    }

    /// Mean, standard deviation and A k, given the covariances k of a point.
    fn moments(&self, k: &[f64]) -> (f64, f64, Vec<f64>) {
        let mut white = vec![0.0; k.len()];
        lower_times(self.matrix(), k, &mut white);
        let variance = self.gp.hyper.kernel.amplitude - dot(&white, &white);
        let weights = self.gp.weights.as_slice().expect("a new vector is contiguous");
        (dot(weights, k), variance.max(0.0).sqrt(), white)
    }

    /// Posterior mean and standard deviation of the noise-free function at a point.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let kernel = &self.gp.hyper.kernel;
        let (n, all) = (self.gp.factor.order(), self.gp.elements.len());
        let point: Vec<f64> = x.iter().zip(&kernel.length_scales).map(|(v, l)| v / l).collect();
        let (mut k, mut first) = (vec![0.0; all], vec![0.0; all]);
        weights(kernel.form, &self.columns, &point, &mut k, &mut first);
        for (i, element) in self.gp.elements.iter().enumerate().skip(n) {
            // A slope: w₁ (x_d − z_d)/ℓ_d².
            let d = element.derivative.expect("elements after the targets are slopes");
            let gap = point[d] - self.columns[d * all + i];
            k[i] = first[i] * gap / kernel.length_scales[d];
        }
        for v in &mut k {
            *v *= kernel.amplitude;
        }
        let (mean, deviation, _) = self.moments(&k);
        (mean, deviation)
    }

    /// Posterior mean and standard deviation of the noise-free function at a point, with their gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let (all, d) = (self.gp.elements.len(), x.len());
        let kernel = &self.gp.hyper.kernel;
        let mut jacobian = vec![0.0; all * d];
        let rows = self.gp.elements.iter().zip(jacobian.chunks_exact_mut(d));
        let k: Vec<f64> = rows.map(|(e, row)| kernel.at_point(x, e, row)).collect();
        let (mean, deviation, white) = self.moments(&k);
        let mut solved = vec![0.0; all];
        for (i, (w, row)) in white.iter().zip(self.matrix().chunks_exact(all)).enumerate() {
            axpy(*w, &row[..=i], &mut solved[..=i]);
        }
        let scale = if deviation > 0.0 { -1.0 / deviation } else { 0.0 };
        let (mut mean_gradient, mut deviation_gradient) = (vec![0.0; d], vec![0.0; d]);
        for (i, row) in jacobian.chunks_exact(d).enumerate() {
            axpy(self.gp.weights[i], row, &mut mean_gradient);
            axpy(scale * solved[i], row, &mut deviation_gradient);
        }
        Prediction { mean, deviation, mean_gradient, deviation_gradient }
    }

    /// Logarithm of expected improvement above `best`, a target to be exceeded, at a point.
    pub fn log_improvement(&self, x: &[f64], best: f64) -> f64 {
        let (mean, deviation) = self.predict(x);
        // The mirror image of an improvement below.
        log_expected_improvement(-mean, deviation, -best, 0.0)
    }

    /// As [`Predictor::log_improvement`], with its gradient.
    pub fn log_improvement_with_gradient(&self, x: &[f64], best: f64) -> (f64, Vec<f64>) {
        let mut p = self.predict_with_gradient(x);
        p.mean = -p.mean;
        p.mean_gradient.iter_mut().for_each(|g| *g = -*g);
        log_expected_improvement_with_gradient(&p, -best, 0.0)
    }
}
