//! Kernel ridge regression with an RBF kernel, \[Pedregosa2016\] eq. (5).
//!
//! `(K_train(e^λ₁) + e^λ₂ I) X = b` as the minimiser of the quadratic h(x) = ½xᵀ(K + e^λ₂ I)x − bᵀx;
//! `g(x, λ) = ‖b_test − K_test(e^λ₁) x‖²` (a sum).

use ndarray::Array2;
use numerics::{
    linalg::{
        dense::{fused, times, weighted_product},
        design::Design,
        elementary::exp_in_place,
        mirror::to_lower,
        symmetric_product::symmetric_times,
        vector::{axpy, dot, norm},
    },
    problem::{Bilevel, InnerForm},
};
use serde::{Deserialize, Serialize};

use super::labelled::{Error, Labelled, Thirds};

/// The distance inside the exponential.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// k = exp(−γ‖a − a'‖²), the RBF kernel of the authors' code.
    #[default]
    Squared,
    /// DIFFERS: k = exp(−γ‖a − a'‖), as the paper prints it.
    Unsquared,
}

impl Distance {
    /// Whether it is the model of the authors' code.
    #[must_use]
    pub fn is_squared(&self) -> bool {
        *self == Self::Squared
    }
}

/// The bilevel kernel ridge problem: λ = (ln γ, ln ridge), one parameter per training row.
#[derive(Debug, Clone)]
pub struct KernelRidge {
    n_features: usize,
    b: Vec<f64>,
    b_test: Vec<f64>,
    b_validation: Vec<f64>,
    /// Distances between training rows (n×n, row-major).
    distances: Vec<f64>,
    distances_test: Vec<f64>,
    distances_validation: Vec<f64>,
    /// K of the training rows, of which only the diagonal and what is above it is set.
    kernel: Vec<f64>,
    kernel_test: Vec<f64>,
    /// D∘K of the training rows, likewise; empty until it is needed at this λ₁.
    weighted_distances: Vec<f64>,
    lambda: [f64; 2],
}

/// Distances between the rows of two dense matrices, row-major; computed from differences, since the
/// expansion with inner products loses small distances.
fn distances(rows: &Array2<f64>, columns: &Array2<f64>, distance: Distance) -> Vec<f64> {
    let mut out = Vec::with_capacity(rows.nrows() * columns.nrows());
    let mut difference = vec![0.0; rows.ncols()];
    for a in rows.rows() {
        for b in columns.rows() {
            for ((d, p), q) in difference.iter_mut().zip(a).zip(b) {
                *d = p - q;
            }
            let squared = dot(&difference, &difference);
            out.push(match distance {
                Distance::Squared => squared,
                Distance::Unsquared => squared.sqrt(),
            });
        }
    }
    out
}

/// K ← exp(−γ D).
fn kernel(distances: &[f64], gamma: f64, out: &mut [f64]) {
    for (k, d) in out.iter_mut().zip(distances) {
        *k = -gamma * d;
    }
    exp_in_place(out);
}

impl KernelRidge {
    /// Builds the problem from dense parts with real targets.
    ///
    /// # Errors
    /// If a part is sparse or the parts do not fit together.
    pub fn new(parts: &Thirds, distance: Distance) -> Result<Self, Error> {
        parts.check(f64::is_finite, "expected a finite number")?;
        let dense = |part: &Labelled| match &part.features {
            Design::Dense(a) => a.clone(),
            Design::Sparse(a) => {
                let mut full = Array2::zeros((a.n_rows(), a.n_cols()));
                for i in 0..a.n_rows() {
                    let (columns, values) = a.row(i);
                    for (c, v) in columns.iter().zip(values) {
                        full[(i, *c as usize)] += v;
                    }
                }
                full
            }
        };
        let train = dense(&parts.train);
        let distances_test = distances(&dense(&parts.test), &train, distance);
        let train_distances = distances(&train, &train, distance);
        let mut problem = Self {
            n_features: train.ncols(),
            b: parts.train.targets.clone(),
            b_test: parts.test.targets.clone(),
            b_validation: parts.validation.targets.clone(),
            distances_validation: distances(&dense(&parts.validation), &train, distance),
            kernel: vec![0.0; train_distances.len()],
            kernel_test: vec![0.0; distances_test.len()],
            distances: train_distances,
            distances_test,
            weighted_distances: Vec::new(),
            lambda: [f64::NAN; 2],
        };
        let start = problem.initial_lambda();
        problem.set_lambda(&start);
        Ok(problem)
    }

    fn gamma(&self) -> f64 {
        self.lambda[0].exp()
    }

    fn ridge(&self) -> f64 {
        self.lambda[1].exp()
    }

    /// Sets D∘K. Unrolled differentiation asks for a cross product in each of its steps at the same λ.
    fn weigh_distances(&mut self) {
        let n = self.b.len();
        for i in 0..n {
            let right = i * n + i..(i + 1) * n;
            self.weighted_distances.resize(right.start, 0.0);
            let factors = self.kernel[right.clone()].iter().zip(&self.distances[right]);
            self.weighted_distances.extend(factors.map(|(k, d)| k * d));
        }
    }
}

impl Bilevel for KernelRidge {
    fn n_hyper(&self) -> usize {
        2
    }

    fn n_params(&self) -> usize {
        self.b.len()
    }

    /// `(−ln n_feat, 0)`, the paper's start.
    fn initial_lambda(&self) -> Vec<f64> {
        vec![-(self.n_features as f64).ln(), 0.0]
    }

    fn inner_form(&self) -> InnerForm {
        InnerForm::Quadratic
    }

    fn set_lambda(&mut self, lambda: &[f64]) {
        let same_width = self.lambda[0] == lambda[0];
        self.lambda = [lambda[0], lambda[1]];
        if !same_width {
            self.weighted_distances.clear();
            let gamma = self.gamma();
            let n = self.b.len();
            for (i, out) in self.kernel.chunks_exact_mut(n).enumerate() {
                kernel(&self.distances[i * n + i..(i + 1) * n], gamma, &mut out[i..]);
            }
            kernel(&self.distances_test, gamma, &mut self.kernel_test);
        }
    }

    fn inner(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.hessian_product(x, gradient);
        let value = 0.5 * dot(x, gradient) - dot(&self.b, x);
        axpy(-1.0, &self.b, gradient);
        value
    }

    fn linearise(&mut self, _x: &[f64]) {}

    fn hessian_product(&mut self, v: &[f64], out: &mut [f64]) {
        symmetric_times(&self.kernel, v, out);
        axpy(self.ridge(), v, out);
    }

    fn hessian(&self) -> Option<Array2<f64>> {
        let n = self.b.len();
        let mut whole = self.kernel.clone();
        to_lower(&mut whole, n);
        let mut h = Array2::from_shape_vec((n, n), whole).expect("n rows of n");
        h.diag_mut().map_inplace(|k| *k += self.ridge());
        Some(h)
    }

    fn outer(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut total = 0.0;
        fused(&self.kernel_test, self.b.len(), x, gradient, &mut |first: usize, z: &mut [f64]| {
            for (t, b) in z.iter_mut().zip(&self.b_test[first..]) {
                let residual = *t - b;
                total += residual * residual;
                *t = 2.0 * residual;
            }
        });
        total
    }

    fn outer_hyper_gradient(&mut self, x: &[f64], out: &mut [f64]) {
        let mut weights = vec![0.0; self.b_test.len()];
        times(&self.kernel_test, self.b.len(), x, &mut weights);
        for (w, b) in weights.iter_mut().zip(&self.b_test) {
            *w = 2.0 * (*w - b);
        }
        // ∂K/∂λ₁ = −γ D∘K
        out[0] =
            -self.gamma() * weighted_product(&weights, &self.kernel_test, &self.distances_test, x);
        out[1] = 0.0;
    }

    fn cross_product(&mut self, x: &[f64], q: &[f64], out: &mut [f64]) {
        if self.weighted_distances.is_empty() {
            self.weigh_distances();
        }
        let mut product = vec![0.0; x.len()];
        symmetric_times(&self.weighted_distances, x, &mut product);
        // ∂K/∂λ₁ = −γ D∘K
        out[0] = -self.gamma() * dot(q, &product);
        out[1] = self.ridge() * dot(x, q);
    }

    fn validation_loss(&mut self, x: &[f64]) -> f64 {
        let mut k = vec![0.0; self.distances_validation.len()];
        kernel(&self.distances_validation, self.gamma(), &mut k);
        let mut predicted = vec![0.0; self.b_validation.len()];
        times(&k, self.b.len(), x, &mut predicted);
        predicted.iter().zip(&self.b_validation).map(|(p, b)| (p - b) * (p - b)).sum()
    }

    /// e^λ₂: the kernel is positive semi-definite.
    fn strong_convexity(&self) -> f64 {
        self.ridge()
    }

    /// `2‖K_test‖_F‖b_test‖`, the Lipschitz constant at x = 0; a quadratic has no Lipschitz constant on the
    /// whole space.
    fn outer_lipschitz(&self) -> f64 {
        2.0 * norm(&self.kernel_test) * norm(&self.b_test)
    }
}
