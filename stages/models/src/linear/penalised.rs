//! Logistic regression with an L1, L2 or mixed penalty, two or more classes: the objective of scikit-learn,
//! solved to its optimum.
//!
//! F(W, b) = C Σᵢ −ln p(yᵢ | xᵢ) + ½ (1 − ρ) ‖W‖² + ρ ‖W‖₁, with intercepts b that are not penalised; one row
//! of W for two classes (sigmoid), one row per class for more (softmax).
//!
//! Newton's method on the smooth part; the penalised quadratic model is minimised by coordinate
//! descent, and each step is shortened until F decreases, as in \[Lee2014\].

use ndarray::{Array1, Array2, ArrayView2, Axis};
use numerics::linalg::{cholesky::Cholesky, elementary::logistic};

use super::quadratic_model::{QuadraticModel, violation};
use crate::{curvature::hessian::cross_entropy, gaussian_nb::arg_max, samples::Samples};

/// A penalty that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
pub enum PenaltyError {
    /// C is not a finite positive number.
    #[error("C is {0}: expected a finite positive number")]
    C(f64),
    /// The share of the L1 term is not within 0 and 1.
    #[error("l1 ratio is {0}: expected a number from 0 to 1")]
    L1Ratio(f64),
}

/// A penalty whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    c: f64,
    l1_ratio: f64,
}

impl Penalty {
    /// Weight C of the losses, and share ρ of the L1 term from 0 (ridge) to 1 (lasso).
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn new(c: f64, l1_ratio: f64) -> Result<Self, PenaltyError> {
        if !(c.is_finite() && c > 0.0) {
            return Err(PenaltyError::C(c));
        }
        if !(0.0..=1.0).contains(&l1_ratio) {
            return Err(PenaltyError::L1Ratio(l1_ratio));
        }
        Ok(Self { c, l1_ratio })
    }
}

/// A fitted classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct PenalisedLogistic {
    /// W: 1 × features for two classes, otherwise classes × features.
    pub coefficients: Array2<f64>,
    /// b, one per row of W.
    pub intercepts: Array1<f64>,
    /// Number of classes.
    pub classes: usize,
    /// F at the solution.
    pub objective: f64,
    /// The largest violation of the optimality conditions, relative to that at zero weights.
    pub residual: f64,
    /// Newton steps made.
    pub iterations: usize,
}

/// Relative violation of optimality at which the iteration ends by default.
const TOLERANCE: f64 = 1e-9;
/// Maximum number of Newton steps; a dozen are usual.
const STEPS: usize = 200;

/// The problem with the intercepts' column of ones appended to the features. θ holds one row of features + 1
/// numbers per unit.
struct Problem<'a> {
    a: Array2<f64>,
    samples: &'a Samples,
    units: usize,
    penalty: Penalty,
}

/// Value and derivatives at a point.
struct Point {
    theta: Vec<f64>,
    probabilities: Array2<f64>,
    objective: f64,
}

impl Problem<'_> {
    fn width(&self) -> usize {
        self.a.ncols()
    }

    fn penalised(&self, at: usize) -> bool {
        at % self.width() + 1 != self.width()
    }

    fn point(&self, theta: Vec<f64>) -> Point {
        let w = ndarray::aview1(&theta).into_shape_with_order((self.units, self.width()));
        let mut probabilities = self.a.dot(&w.expect("one row a unit").t());
        let loss = losses(&mut probabilities, &self.samples.y);
        let penalty = theta.iter().enumerate().filter(|(i, _)| self.penalised(*i));
        let rho = self.penalty.l1_ratio;
        let penalty = penalty.map(|(_, w)| 0.5 * (1.0 - rho) * w * w + rho * w.abs());
        let objective = self.penalty.c * loss + penalty.sum::<f64>();
        Point { theta, probabilities, objective }
    }

    /// The gradient of all but the L1 term.
    fn gradient(&self, at: &Point) -> Vec<f64> {
        let mut error = at.probabilities.clone();
        for (mut row, &label) in error.rows_mut().into_iter().zip(&self.samples.y) {
            match self.units {
                1 => row[0] -= f64::from(label == 1),
                _ => row[label as usize] -= 1.0,
            }
        }
        let mut gradient: Vec<f64> = error.t().dot(&self.a).iter().copied().collect();
        for (i, (g, w)) in gradient.iter_mut().zip(&at.theta).enumerate() {
            let ridge = if self.penalised(i) { 1.0 - self.penalty.l1_ratio } else { 0.0 };
            *g = self.penalty.c * *g + ridge * w;
        }
        gradient
    }

    /// The share of L1 in the slope of parameter `i`.
    fn l1(&self, i: usize) -> f64 {
        if self.penalised(i) { self.penalty.l1_ratio } else { 0.0 }
    }

    /// The second derivative of all but the L1 term.
    fn hessian(&self, at: &Point) -> Array2<f64> {
        let scale = self.penalty.c * self.a.nrows() as f64;
        let mut h = cross_entropy(self.a.view(), at.probabilities.view(), 0.0);
        h *= scale;
        for i in 0..h.nrows() {
            // The intercepts of a softmax can shift together without changing the loss: a small curvature
            // keeps them in place.
            let own = h[[i, i]];
            h[[i, i]] += if self.penalised(i) { 1.0 - self.penalty.l1_ratio } else { 0.0 };
            h[[i, i]] += 1e-12 * own.max(1e-12);
        }
        h
    }
}

/// Replaces scores by probabilities and returns Σ −ln p(label).
fn losses(z: &mut Array2<f64>, y: &[u32]) -> f64 {
    let mut total = 0.0;
    for (mut row, &label) in z.rows_mut().into_iter().zip(y) {
        if row.len() == 1 {
            let t = if label == 1 { row[0] } else { -row[0] };
            total += logistic(t).0;
            row[0] = logistic(-row[0]).1;
            continue;
        }
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let own = row[label as usize];
        row.mapv_inplace(|v| (v - top).exp());
        let sum = row.sum();
        total += top + sum.ln() - own;
        row /= sum;
    }
    total
}

impl PenalisedLogistic {
    /// Minimises F over all rows.
    ///
    /// DIFFERS: the authors' solver (SAGA) stops after 100 epochs, often far from the optimum of
    /// unscaled features; here the optimum is reached, and `residual` says how closely.
    pub fn fit(samples: &Samples, penalty: Penalty) -> Self {
        Self::fit_to(samples, penalty, TOLERANCE)
    }

    /// As [`PenalisedLogistic::fit`], until the violation of optimality, relative to that at zero
    /// weights, is at most `tolerance`.
    pub fn fit_to(samples: &Samples, penalty: Penalty, tolerance: f64) -> Self {
        let ones = Array2::ones((samples.n_rows(), 1));
        let a = ndarray::concatenate![Axis(1), samples.x, ones];
        let units = if samples.classes == 2 { 1 } else { samples.classes };
        let problem = Problem { a, samples, units, penalty };
        let n = units * problem.width();
        let mut at = problem.point(vec![0.0; n]);
        let (mut first, mut iterations) = (f64::NAN, 0);
        let residual = loop {
            let g = problem.gradient(&at);
            let worst = (0..n).map(|i| violation(at.theta[i], g[i], problem.l1(i)));
            let worst = worst.fold(0.0, f64::max);
            if iterations == 0 {
                first = if worst > 0.0 { worst } else { 1.0 };
            }
            let residual = worst / first;
            if residual <= tolerance || iterations == STEPS {
                break residual;
            }
            iterations += 1;
            match problem.descend(&at, &g, 1e-2 * worst) {
                Some(next) => at = next,
                None => break residual,
            }
        };
        let theta = Array2::from_shape_vec((units, problem.width()), at.theta).expect("θ's shape");
        let (coefficients, intercepts) = theta.view().split_at(Axis(1), problem.width() - 1);
        Self {
            coefficients: coefficients.to_owned(),
            intercepts: intercepts.column(0).to_owned(),
            classes: samples.classes,
            objective: at.objective,
            residual,
            iterations,
        }
    }

    /// Probabilities of the classes (n × classes).
    pub fn probabilities(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut z = x.dot(&self.coefficients.t()) + &self.intercepts;
        losses(&mut z, &vec![0; x.nrows()]);
        if self.classes > 2 {
            return z;
        }
        Array2::from_shape_fn(
            (x.nrows(), 2),
            |(i, c)| {
                if c == 1 { z[[i, 0]] } else { 1.0 - z[[i, 0]] }
            },
        )
    }

    /// The most likely class of each row; of equally likely classes the first.
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        self.probabilities(x).rows().into_iter().map(|p| arg_max(p.iter().copied())).collect()
    }
}

impl Problem<'_> {
    /// A point with a lower F, or `None` if rounding prevents finding one.
    fn descend(&self, at: &Point, g: &[f64], target: f64) -> Option<Point> {
        let h = self.hessian(at);
        let exact = if self.penalty.l1_ratio == 0.0 { Cholesky::new(&h).ok() } else { None };
        let d: Vec<f64> = if let Some(factor) = exact {
            factor.solve(ndarray::aview1(g)).iter().map(|v| -v).collect()
        } else {
            let l1: Vec<f64> = (0..g.len()).map(|i| self.l1(i)).collect();
            QuadraticModel::new(&at.theta, g, &l1, &h).minimise(target)
        };
        let mut gain = 0.0;
        for (i, (step, slope)) in d.iter().zip(g).enumerate() {
            let w = at.theta[i];
            gain += slope * step + self.l1(i) * ((w + step).abs() - w.abs());
        }
        let noise = 1e-14 * at.objective.abs();
        let mut t = 1.0;
        for _ in 0..40 {
            let moved = at.theta.iter().zip(&d).map(|(w, step)| w + t * step).collect();
            let next = self.point(moved);
            if next.objective <= at.objective + 1e-4 * t * gain + noise {
                return Some(next);
            }
            t *= 0.5;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn samples(n: usize, d: usize, classes: usize, seed: u32) -> Samples {
        let x = Array2::from_shape_fn((n, d), |(i, j)| {
            ((i * 17 + j * 29) as f64 * 0.77 + f64::from(seed)).sin() + 0.3 * (i as f64).cos()
        });
        let y = (0..n).map(|i| (i * 7 + i * i / 3) as u32 % classes as u32).collect();
        Samples::new(x, y, classes).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn no_neighbour_of_the_solution_is_better(
            d in 1_usize..6, classes in 2_usize..4, seed in 0_u32..100,
            c in prop::sample::select(vec![0.1, 1.0, 10.0]),
            l1_ratio in prop::sample::select(vec![0.0, 0.5, 1.0]),
        ) {
            let samples = samples(60, d, classes, seed);
            let penalty = Penalty::new(c, l1_ratio).unwrap();
            let fit = PenalisedLogistic::fit(&samples, penalty);
            prop_assert!(fit.residual <= TOLERANCE, "{}", fit.residual);
            let value = |w: &Array2<f64>, b: &Array1<f64>| {
                let mut z = samples.x.dot(&w.t()) + b;
                let l1 = w.mapv(f64::abs).sum();
                c * losses(&mut z, &samples.y) + 0.5 * (1.0 - l1_ratio) * (w * w).sum()
                    + l1_ratio * l1
            };
            let best = value(&fit.coefficients, &fit.intercepts);
            prop_assert!((best / fit.objective - 1.0).abs() < 1e-12);
            for i in 0..fit.coefficients.len() {
                for step in [1e-3, -1e-3] {
                    let mut w = fit.coefficients.clone();
                    w.as_slice_mut().unwrap()[i] += step;
                    prop_assert!(value(&w, &fit.intercepts) > best);
                }
            }
            let mut b = fit.intercepts.clone();
            b[0] += 1e-3;
            prop_assert!(value(&fit.coefficients, &b) > best);
        }
    }

    #[test]
    fn lasso_removes_weights_and_values_out_of_range_are_refused() {
        let samples = samples(60, 5, 2, 1);
        let zeros = |l1_ratio| {
            let penalty = Penalty::new(0.05, l1_ratio).unwrap();
            let fit = PenalisedLogistic::fit(&samples, penalty);
            fit.coefficients.iter().filter(|w| **w == 0.0).count()
        };
        assert!(zeros(1.0) > 0 && zeros(0.0) == 0);
        for (c, l1_ratio) in [(0.0, 0.5), (f64::NAN, 0.5), (1.0, 1.1), (1.0, f64::NAN)] {
            assert!(Penalty::new(c, l1_ratio).is_err());
        }
    }

    #[test]
    fn separable_rows_keep_everything_finite() {
        let x = Array2::from_shape_fn((20, 1), |(i, _)| i as f64 * 100.0);
        let y = (0..20).map(|i| u32::from(i > 9)).collect();
        let samples = Samples::new(x, y, 2).unwrap();
        for l1_ratio in [0.0, 0.5, 1.0] {
            let fit = PenalisedLogistic::fit(&samples, Penalty::new(10.0, l1_ratio).unwrap());
            assert!(fit.residual <= TOLERANCE, "{l1_ratio}: {}", fit.residual);
            assert_eq!(fit.classify(samples.x.view()), samples.y);
        }
    }
}
