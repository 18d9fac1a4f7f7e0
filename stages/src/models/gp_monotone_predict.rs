//! A monotone process made ready for many predictions, as the search for the largest expected
//! improvement needs them. Knows no tuner.
//!
//! With targets and signs one after the other, the whitened covariances of a point are two
//! triangular solves and a product between them. All three are one triangular matrix.

use ndarray::{Array2, Axis, Slice};

use super::acquisition::{expected_improvement, expected_improvement_with_gradient};
use super::gp::Prediction;
use super::gp_monotone::MonotoneGp;
use crate::linalg::vector::{axpy, dot};

/// A process with the matrix A (n + m square, lower triangular) for which the covariance of two
/// points after all observations is k(x, z) − (A k(x))ᵀ A k(z).
#[derive(Debug, Clone)]
pub struct Predictor<'a> {
    gp: &'a MonotoneGp,
    whitening: Array2<f64>,
}

impl MonotoneGp {
    /// Makes ready for predictions at many points.
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
        Predictor { gp: self, whitening }
    }
}

impl Predictor<'_> {
    /// Row `i` of A, up to its diagonal.
    fn row(&self, i: usize) -> &[f64] {
        let all = self.whitening.ncols();
        let values = self.whitening.as_slice().expect("a new matrix is contiguous");
        &values[i * all..=i * all + i]
    }

    /// Mean, deviation and A k, given the covariances k of a point.
    fn moments(&self, k: &[f64]) -> (f64, f64, Vec<f64>) {
        let white: Vec<f64> = (0..k.len()).map(|i| dot(self.row(i), &k[..=i])).collect();
        let variance = self.gp.hyper.kernel.amplitude - dot(&white, &white);
        let weights = self.gp.weights.as_slice().expect("a new vector is contiguous");
        (dot(weights, k), variance.max(0.0).sqrt(), white)
    }

    /// Posterior mean and deviation of the noise-free function at a point.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let kernel = &self.gp.hyper.kernel;
        let k: Vec<f64> = self.gp.elements.iter().map(|e| kernel.value_at(x, e)).collect();
        let (mean, deviation, _) = self.moments(&k);
        (mean, deviation)
    }

    /// Posterior mean and deviation of the noise-free function at a point, with their gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let (all, d) = (self.gp.elements.len(), x.len());
        let kernel = &self.gp.hyper.kernel;
        let mut jacobian = vec![0.0; all * d];
        let rows = self.gp.elements.iter().zip(jacobian.chunks_exact_mut(d));
        let k: Vec<f64> = rows.map(|(e, row)| kernel.at_point(x, e, row)).collect();
        let (mean, deviation, white) = self.moments(&k);
        let mut solved = vec![0.0; all];
        for (i, w) in white.iter().enumerate() {
            axpy(*w, self.row(i), &mut solved[..=i]);
        }
        let scale = if deviation > 0.0 { -1.0 / deviation } else { 0.0 };
        let (mut mean_gradient, mut deviation_gradient) = (vec![0.0; d], vec![0.0; d]);
        for (i, row) in jacobian.chunks_exact(d).enumerate() {
            axpy(self.gp.weights[i], row, &mut mean_gradient);
            axpy(scale * solved[i], row, &mut deviation_gradient);
        }
        Prediction { mean, deviation, mean_gradient, deviation_gradient }
    }

    /// Expected improvement above `best`, a target to be exceeded, at a point.
    pub fn improvement(&self, x: &[f64], best: f64) -> f64 {
        let (mean, deviation) = self.predict(x);
        // The mirror image of an improvement below.
        expected_improvement(-mean, deviation, -best, 0.0)
    }

    /// As [`Predictor::improvement`], with its gradient.
    pub fn improvement_with_gradient(&self, x: &[f64], best: f64) -> (f64, Vec<f64>) {
        let mut p = self.predict_with_gradient(x);
        p.mean = -p.mean;
        p.mean_gradient.iter_mut().for_each(|g| *g = -*g);
        expected_improvement_with_gradient(&p, -best, 0.0)
    }
}
