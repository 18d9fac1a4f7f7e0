//! Prepares a monotone process for many predictions, as the search for the largest expected improvement needs
//! them.
//!
//! Taking targets and signs one after the other, the whitened covariances of a point are two triangular
//! solves with a product between them. Here all three are combined into one triangular matrix.

use ndarray::{Array2, Axis, Slice};
use numerics::linalg::{
    simd_dispatch::wide,
    vector::{axpy, dot, dot_lanes},
};

use crate::gp::{
    Prediction,
    acquisition::{log_expected_improvement, log_expected_improvement_with_gradient},
    kernel::Kernel as Form,
    monotone::{
        MonotoneGp,
        scaled::{GROUP, LANES, Scaled, fold, weigh},
    },
};

/// A process with the matrix A (n + m square, lower triangular) for which the covariance of two
/// points after all observations is k(x, z) − (A k(x))ᵀ A k(z).
#[derive(Debug, Clone)]
pub struct Predictor<'a> {
    gp: &'a MonotoneGp,
    whitening: Array2<f64>,
    /// The points of all elements.
    points: Scaled,
}

wide! {
    /// The first two of [`Form::weights`] between a scaled point and all elements.
    fn weights['a]['a](
        form: Form,
        points: &'a Scaled,
        point: &'a [f64],
        zeroth: &'a mut [f64],
        first: &'a mut [f64],
    ) -> () {
        weigh(form, points, point, zeroth, first);
    }
}

wide! {
    /// For each input the sums of weight times (a − aᵢ), for two sets of weights, where a and aᵢ are the scaled
    /// coordinates of a point and of the elements.
    fn pulls['a]['a](
        points: &'a Scaled,
        point: &'a [f64],
        weights: [&'a [f64]; 2],
        out: [&'a mut [f64]; 2],
    ) -> () {
        let [out0, out1] = out;
        let groups = point.chunks_exact(GROUP).zip(out0.chunks_mut(GROUP)).zip(out1.chunks_mut(GROUP));
        for (group, ((own, out0), out1)) in groups.enumerate() {
            let columns = points.group(group);
            let mut sums = [[[0.0_f64; LANES]; GROUP]; 2];
            for at in (0..points.places()).step_by(LANES) {
                let [u, v] = weights.map(|w| &w[at..at + LANES]);
                for c in 0..GROUP {
                    let others = &columns[c][at..at + LANES];
                    for l in 0..LANES {
                        let gap = own[c] - others[l];
                        sums[0][c][l] = u[l].mul_add(gap, sums[0][c][l]);
                        sums[1][c][l] = v[l].mul_add(gap, sums[1][c][l]);
                    }
                }
            }
            for (out, sums) in [out0, out1].into_iter().zip(sums) {
                for (o, s) in out.iter_mut().zip(sums) {
                    *o = fold(s);
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
        let rows = self.elements.iter().map(|e| e.x.as_slice());
        let points = Scaled::new(rows, &self.hyper.kernel.length_scales);
        Predictor { gp: self, whitening, points }
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

    /// The scaled coordinates of a point, and the first two weights between it and the elements, times σ².
    fn weights(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let kernel = &self.gp.hyper.kernel;
        let mut point = vec![0.0; self.points.inputs()];
        for (scaled, (v, l)) in point.iter_mut().zip(x.iter().zip(&kernel.length_scales)) {
            *scaled = v / l;
        }
        let places = self.points.places();
        let (mut zeroth, mut first) = (vec![0.0; places], vec![0.0; places]);
        weights(kernel.form, &self.points, &point, &mut zeroth, &mut first);
        zeroth.iter_mut().chain(&mut first).for_each(|v| *v *= kernel.amplitude);
        (point, zeroth, first)
    }

    /// The elements that are slopes, with their places and inputs.
    fn slopes(&self) -> impl Iterator<Item = (usize, usize)> {
        let elements = self.gp.elements.iter().enumerate();
        elements.filter_map(|(i, element)| element.derivative.map(|d| (i, d)))
    }

    /// Posterior mean and standard deviation of the noise-free function at a point.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let (point, mut k, first) = self.weights(x);
        for (i, d) in self.slopes() {
            // w₁ (x_d − z_d)/ℓ_d².
            let gap = point[d] - self.points.column(d)[i];
            k[i] = first[i] * gap / self.gp.hyper.kernel.length_scales[d];
        }
        let (mean, deviation, _) = self.moments(&k[..self.gp.elements.len()]);
        (mean, deviation)
    }

    /// Posterior mean and standard deviation of the noise-free function at a point, with their gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let (all, d) = (self.gp.elements.len(), x.len());
        let kernel = &self.gp.hyper.kernel;
        let (point, mut k, first) = self.weights(x);
        let mut jacobian = vec![0.0; d * (all - self.gp.factor.order())];
        for ((i, _), row) in self.slopes().zip(jacobian.chunks_exact_mut(d)) {
            k[i] = kernel.at_point(x, &self.gp.elements[i], row);
        }
        let (mean, deviation, white) = self.moments(&k[..all]);
        let mut solved = vec![0.0; all];
        for (i, (w, row)) in white.iter().zip(self.matrix().chunks_exact(all)).enumerate() {
            axpy(*w, &row[..=i], &mut solved[..=i]);
        }
        let scale = if deviation > 0.0 { -1.0 / deviation } else { 0.0 };
        solved.iter_mut().for_each(|v| *v *= scale);
        // The gradient of a target's covariance is −w₁ (x_d − z_d)/ℓ_d²; those of slopes are added one by one.
        let mut pull = [vec![0.0; k.len()], vec![0.0; k.len()]];
        for (i, w) in first.iter().enumerate().take(self.gp.factor.order()) {
            pull[0][i] = -w * self.gp.weights[i];
            pull[1][i] = -w * solved[i];
        }
        let (mut mean_gradient, mut deviation_gradient) = (vec![0.0; d], vec![0.0; d]);
        pulls(
            &self.points,
            &point,
            [&pull[0], &pull[1]],
            [&mut mean_gradient, &mut deviation_gradient],
        );
        for (j, l) in kernel.length_scales.iter().enumerate() {
            mean_gradient[j] /= l;
            deviation_gradient[j] /= l;
        }
        for ((i, _), row) in self.slopes().zip(jacobian.chunks_exact(d)) {
            axpy(self.gp.weights[i], row, &mut mean_gradient);
            axpy(solved[i], row, &mut deviation_gradient);
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
