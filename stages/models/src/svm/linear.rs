//! Linear support vector machines by dual coordinate descent \[Hsieh2008\] on rows in single precision;
//! several classes one against the rest.
//!
//! Minimises ½(‖w‖² + b²) + C Σ max(0, 1 − y (w·x + b)) like the kernel machine, except that the offset is
//! the weight of a constant feature here. Coordinate descent is used rather than stochastic gradients: C
//! means the same as for the kernel machine, there is no learning rate to choose, and a gap shows how far the
//! solution is from the optimum.

use numerics::linalg::simd_dispatch::wide;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::linear::{Linear, class, scores, sign};

/// Number of independent sums of a product.
const LANES: usize = 16;

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
#[error("{name} is {value}: expected a finite positive number")]
pub struct LinearSvmError {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

/// Settings whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearSvm {
    c: f64,
    tolerance: f64,
    epochs: usize,
}

/// A fit and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSvmFit {
    /// The classifier.
    pub model: Linear,
    /// Dual objective ½‖w‖² − Σα of each score, the offset's weight counted in.
    pub objectives: Vec<f64>,
    /// Epochs made.
    pub epochs: usize,
    /// Whether every score's projected gradients came to lie within the tolerance.
    pub converged: bool,
    /// Coordinates looked at: rows, once an epoch and score.
    pub updates: u64,
}

impl LinearSvm {
    /// Penalty C of slack, the largest difference of projected gradients that ends the descent, and
    /// the most epochs.
    ///
    /// # Errors
    /// If a number is not finite and positive.
    pub fn new(c: f64, tolerance: f64, epochs: usize) -> Result<Self, LinearSvmError> {
        for (name, value) in [("C", c), ("tolerance", tolerance)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(LinearSvmError { name, value });
            }
        }
        Ok(Self { c, tolerance, epochs })
    }

    /// Fits rows (n×d, one after another) with labels below `classes`. Each epoch visits all rows in a
    /// new random order.
    ///
    /// # Panics
    /// If `x` does not hold as many whole rows as there are labels.
    pub fn fit(&self, x: &[f32], y: &[u32], classes: usize, rng: &mut ChaCha12Rng) -> LinearSvmFit {
        assert!(!y.is_empty() && x.len().is_multiple_of(y.len()), "whole rows, one a label");
        let (d, k) = (x.len() / y.len(), scores(classes));
        let mut descent = Descent {
            c: self.c,
            x,
            y,
            curvatures: x.chunks_exact(d).map(|row| 1.0 + norm_squared(row)).collect(),
            alpha: vec![0.0; y.len() * k],
            ranges: vec![(0.0, 0.0); k],
            over: vec![false; k],
            model: Linear::zeros(k, d),
        };
        let mut order: Vec<u32> = (0..y.len() as u32).collect();
        let (mut epochs, mut updates) = (0, 0);
        while epochs < self.epochs && descent.over.contains(&false) {
            for i in (1..order.len()).rev() {
                order.swap(i, rng.random_range(0..=i as u32) as usize);
            }
            epochs += 1;
            updates += descent.over.iter().filter(|over| !**over).count() as u64 * y.len() as u64;
            epoch(&mut descent, &order);
            for (over, (low, high)) in descent.over.iter_mut().zip(&descent.ranges) {
                *over |= high - low <= self.tolerance;
            }
        }
        let Descent { alpha, over, model, .. } = descent;
        let objective = |k: usize| {
            let w = model.weights.row(k);
            0.5 * (w.dot(&w) + model.offsets[k].powi(2))
                - alpha.chunks_exact(over.len()).map(|a| a[k]).sum::<f64>()
        };
        let objectives = (0..k).map(objective).collect();
        let converged = over.iter().all(|over| *over);
        LinearSvmFit { model, objectives, epochs, converged, updates }
    }
}

/// The state of a descent.
struct Descent<'a> {
    c: f64,
    x: &'a [f32],
    y: &'a [u32],
    /// ‖x‖² + 1 of each row.
    curvatures: Vec<f64>,
    /// Multipliers, all scores of a row side by side.
    alpha: Vec<f64>,
    /// The smallest and largest projected gradient of this epoch, for each score.
    ranges: Vec<(f64, f64)>,
    /// Scores that have reached the tolerance.
    over: Vec<bool>,
    model: Linear,
}

wide! {
    /// One epoch of all scores.
    fn epoch['a, 'b]['a, 'b](descent: &'a mut Descent<'b>, order: &'a [u32]) -> () {
        let Descent { c, x, y, curvatures, alpha, ranges, over, model } = descent;
        let (d, k) = (x.len() / y.len(), over.len());
        ranges.fill((f64::INFINITY, f64::NEG_INFINITY));
        let Linear { weights, offsets } = model;
        let weights = weights.as_slice_mut().expect("built in standard layout");
        for &row in order {
            let row = row as usize;
            let values = &x[row * d..][..d];
            for (s, w) in weights.chunks_exact_mut(d).enumerate().filter(|(s, _)| !over[*s]) {
                let sign = sign(y[row], s, k);
                let alpha = &mut alpha[row * k + s];
                let slope = sign * (product(w, values) + offsets[s]) - 1.0;
                let projected = if *alpha == 0.0 {
                    slope.min(0.0)
                } else if *alpha == *c {
                    slope.max(0.0)
                } else {
                    slope
                };
                let (low, high) = &mut ranges[s];
                (*low, *high) = (low.min(projected), high.max(projected));
                if projected != 0.0 {
                    let new = (*alpha - slope / curvatures[row]).clamp(0.0, *c);
                    let step = sign * (new - *alpha);
                    *alpha = new;
                    offsets[s] += step;
                    for (w, v) in w.iter_mut().zip(values) {
                        *w = step.mul_add(f64::from(*v), *w);
                    }
                }
            }
        }
    }
}

/// w·x, in a fixed order.
#[inline(always)]
fn product(w: &[f64], x: &[f32]) -> f64 {
    let mut sums = [0.0_f64; LANES];
    let ((w, w_rest), (x, x_rest)) = (w.as_chunks::<LANES>(), x.as_chunks::<LANES>());
    for (w, x) in w.iter().zip(x) {
        for l in 0..LANES {
            sums[l] = w[l].mul_add(f64::from(x[l]), sums[l]);
        }
    }
    for (l, (w, x)) in w_rest.iter().zip(x_rest).enumerate() {
        sums[l] = w.mul_add(f64::from(*x), sums[l]);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for l in 0..width {
            sums[l] += sums[l + width];
        }
    }
    sums[0]
}

fn norm_squared(x: &[f32]) -> f64 {
    x.iter().map(|&v| f64::from(v) * f64::from(v)).sum()
}

wide! {
    /// The class of each row (n×d, one after another).
    fn classes_of['a]['a](model: &'a Linear, x: &'a [f32]) -> Vec<u32> {
        let d = model.weights.ncols();
        let weights = model.weights.as_slice().expect("built in standard layout");
        let mut said = Vec::with_capacity(x.len() / d);
        let mut values = vec![0.0; model.offsets.len()];
        for row in x.chunks_exact(d) {
            for ((v, w), b) in values.iter_mut().zip(weights.chunks_exact(d)).zip(&model.offsets) {
                *v = product(w, row) + b;
            }
            said.push(class(&values));
        }
        said
    }
}

impl Linear {
    /// The class of each row in single precision (n×d, one after another).
    pub fn classify_single(&self, x: &[f32]) -> Vec<u32> {
        classes_of(self, x)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn rows(n: usize, d: usize) -> Vec<f32> {
        (0..n * d).map(|k| ((k * k % 997) as f32 * 0.71).sin()).collect()
    }

    /// ½‖w‖² + C Σ losses of a score, where w includes the offset.
    fn primal(c: f64, x: &[f32], y: &[u32], model: &Linear, k: usize) -> f64 {
        let d = x.len() / y.len();
        let w = model.weights.row(k);
        let loss = |(row, &label): (&[f32], &u32)| {
            let score: f64 = row.iter().zip(w).map(|(&v, w)| f64::from(v) * w).sum();
            (1.0 - sign(label, k, model.offsets.len()) * (score + model.offsets[k])).max(0.0)
        };
        0.5 * (w.dot(&w) + model.offsets[k].powi(2))
            + c * x.chunks_exact(d).zip(y).map(loss).sum::<f64>()
    }

    #[test]
    fn no_gap_is_left_between_primal_and_dual() {
        for (n, d, classes, c) in [(40, 3, 2, 0.5), (150, 20, 3, 2.0), (90, 33, 4, 0.1)] {
            let x = rows(n, d);
            let y: Vec<u32> = (0..n as u32).map(|i| (i * i + i / 5) % classes).collect();
            let svm = LinearSvm::new(c, 1e-8, 100_000).unwrap();
            let fit = svm.fit(&x, &y, classes as usize, &mut ChaCha12Rng::seed_from_u64(1));
            assert!(fit.converged);
            for (k, dual) in fit.objectives.iter().enumerate() {
                let gap = primal(c, &x, &y, &fit.model, k) + dual;
                assert!(gap.abs() < 1e-6 * (1.0 + dual.abs()), "{n} {k}: {gap} of {dual}");
            }
        }
    }

    #[test]
    fn an_unfinished_descent_says_so_and_runs_repeat_to_the_bit() {
        let (x, y) = (rows(60, 4), (0..60).map(|i| i % 3).collect::<Vec<_>>());
        let svm = LinearSvm::new(10.0, 1e-6, 2).unwrap();
        let run = |seed| svm.fit(&x, &y, 3, &mut ChaCha12Rng::seed_from_u64(seed));
        let fit = run(1);
        assert!(!fit.converged && fit.epochs == 2 && fit.updates == 360);
        assert_eq!(fit, run(1));
        assert_ne!(fit.model, run(2).model);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(LinearSvm::new(bad, 0.1, 1).is_err());
            assert!(LinearSvm::new(1.0, bad, 1).is_err());
        }
    }
}
