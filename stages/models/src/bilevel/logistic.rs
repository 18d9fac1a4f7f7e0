//! ℓ2-regularised logistic regression, \[Pedregosa2016\] eq. (4), dense or sparse.
//!
//! `h(x, λ) = Σ_train ψ(bᵢ aᵢᵀx) + c e^λ ‖x‖²`, `g(x) = Σ_test ψ(bᵢ aᵢᵀx)`, ψ(t) = ln(1 + e⁻ᵗ); sums,
//! no intercept.

use numerics::{
    linalg::{
        dense::times,
        elementary::logistic,
        simd_dispatch::{Weigh, wide},
        vector::{axpy, dot},
    },
    problem::{Bilevel, InnerForm},
};
use serde::{Deserialize, Serialize};

use super::labelled::{Error, Labelled, Thirds};

/// The factor c before e^λ‖x‖².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// c = ½, as in the authors' code.
    Half,
    /// c = 1, as printed in the paper.
    Full,
}

impl Penalty {
    /// The factor c.
    pub fn factor(self) -> f64 {
        match self {
            Self::Half => 0.5,
            Self::Full => 1.0,
        }
    }
}

/// The bilevel logistic problem: one hyper-parameter, one parameter per feature.
#[derive(Debug, Clone)]
pub struct Logistic {
    parts: Thirds,
    penalty: Penalty,
    lambda: f64,
    /// σ(tᵢ)σ(−tᵢ) of the training rows at `curvature_at`.
    curvature: Vec<f64>,
    /// The point of the last `inner` or `linearise`: usually one follows the other at the same point.
    curvature_at: Vec<f64>,
    hessian: DataHessian,
}

/// Aᵀ diag(curvature) A, written out once enough products at one point have been requested.
#[derive(Debug, Clone, Default)]
struct DataHessian {
    /// Number of products since the point was set.
    products: usize,
    /// Row-major p × p, or empty if it was not computed at this point.
    matrix: Vec<f64>,
}

impl DataHessian {
    /// Forgets the point.
    fn clear(&mut self) {
        self.products = 0;
        self.matrix.clear();
    }

    /// Counts one more product; true once writing the matrix out pays off.
    ///
    /// A product takes 2np multiplications on the way through the data and p² with the matrix, which costs
    /// np²/2 of them at about four times the rate: as much as p/16 products. However many products follow,
    /// switching at that point takes at most twice the time of the better choice. Beyond [`MATRIX_LIMIT`]
    /// columns, or with fewer rows than columns, it never pays off.
    fn pays(&mut self, n: usize, p: usize) -> bool {
        self.products += 1;
        p <= MATRIX_LIMIT && p <= n && self.products > p / 16 + 2
    }
}

/// The largest number of columns for which the Hessian is written out (32 MiB).
const MATRIX_LIMIT: usize = 2048;

impl Logistic {
    /// Builds the problem from parts with targets ±1.
    ///
    /// # Errors
    /// If a target is not ±1 or the parts do not fit together.
    pub fn new(parts: Thirds, penalty: Penalty) -> Result<Self, Error> {
        parts.check(|b| b == 1.0 || b == -1.0, "expected -1 or 1")?;
        let curvature = vec![0.0; parts.train.targets.len()];
        let curvature_at = vec![f64::NAN; parts.train.features.n_cols()];
        let hessian = DataHessian::default();
        Ok(Self { parts, penalty, lambda: 0.0, curvature, curvature_at, hessian })
    }

    /// The parts the problem was built from.
    pub fn parts(&self) -> &Thirds {
        &self.parts
    }

    /// 2c e^λ, the penalty's curvature.
    fn ridge(&self) -> f64 {
        2.0 * self.penalty.factor() * self.lambda.exp()
    }
}

/// Sums the losses and turns margins aᵢᵀx into the derivatives −bᵢ σ(−bᵢ aᵢᵀx).
struct Losses<'a> {
    labels: &'a [f64],
    total: f64,
}

impl Weigh for Losses<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, z: &mut [f64]) {
        let labels = &self.labels[first..first + z.len()];
        let mut values = [0.0; 64];
        for ((t, b), v) in z.iter_mut().zip(labels).zip(&mut values) {
            let (value, weight) = logistic(b * *t);
            *v = value;
            *t = -b * weight;
        }
        self.total += values[..z.len()].iter().sum::<f64>();
    }
}

/// As [`Losses`], keeping the curvatures σ(t)σ(−t) of the rows.
struct LossesAndCurvatures<'a> {
    losses: Losses<'a>,
    curvatures: &'a mut [f64],
}

impl Weigh for LossesAndCurvatures<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, z: &mut [f64]) {
        self.losses.weigh(first, z);
        // z now holds −b w with w = σ(−bt), and σ(t)σ(−t) = w(1 − w).
        for (d, t) in self.curvatures[first..].iter_mut().zip(z.iter()) {
            let weight = t.abs();
            *d = weight * (1.0 - weight);
        }
    }
}

/// Multiplies by the curvatures of the rows.
struct Curvatures<'a>(&'a [f64]);

impl Weigh for Curvatures<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, z: &mut [f64]) {
        for (t, d) in z.iter_mut().zip(&self.0[first..]) {
            *t *= d;
        }
    }
}

/// Σ ψ(bᵢ aᵢᵀx); adds its gradient to `gradient`.
fn loss(part: &Labelled, x: &[f64], gradient: &mut [f64]) -> f64 {
    let mut losses = Losses { labels: &part.targets, total: 0.0 };
    part.features.fused(x, gradient, &mut losses);
    losses.total
}

wide! {
    /// Replaces margins t by the curvature σ(t)σ(−t) of the loss.
    fn curvatures['a]['a](margins: &'a mut [f64]) -> () {
        for t in margins {
            let (_, weight) = logistic(*t);
            *t = weight * (1.0 - weight);
        }
    }
}

impl Bilevel for Logistic {
    fn n_hyper(&self) -> usize {
        1
    }

    fn n_params(&self) -> usize {
        self.parts.train.features.n_cols()
    }

    fn initial_lambda(&self) -> Vec<f64> {
        vec![0.0]
    }

    fn inner_form(&self) -> InnerForm {
        InnerForm::Smooth
    }

    fn set_lambda(&mut self, lambda: &[f64]) {
        self.lambda = lambda[0];
    }

    fn inner(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut losses = LossesAndCurvatures {
            losses: Losses { labels: &self.parts.train.targets, total: 0.0 },
            curvatures: &mut self.curvature,
        };
        self.parts.train.features.fused(x, gradient, &mut losses);
        let data = losses.losses.total;
        self.curvature_at.copy_from_slice(x);
        self.hessian.clear();
        let ridge = self.ridge();
        axpy(ridge, x, gradient);
        data + 0.5 * ridge * dot(x, x)
    }

    fn linearise(&mut self, x: &[f64]) {
        if self.curvature_at != x {
            self.parts.train.features.times(x, &mut self.curvature);
            curvatures(&mut self.curvature);
            self.curvature_at.copy_from_slice(x);
            self.hessian.clear();
        }
    }

    fn hessian_product(&mut self, v: &[f64], out: &mut [f64]) {
        let (features, hessian) = (&self.parts.train.features, &mut self.hessian);
        if hessian.matrix.is_empty() && hessian.pays(features.n_rows(), v.len()) {
            features.gram(&self.curvature, &mut hessian.matrix);
        }
        if hessian.matrix.is_empty() {
            out.fill(0.0);
            features.fused(v, out, &mut Curvatures(&self.curvature));
        } else {
            times(&hessian.matrix, v.len(), v, out);
        }
        axpy(self.ridge(), v, out);
    }

    fn outer(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        loss(&self.parts.test, x, gradient)
    }

    fn outer_hyper_gradient(&mut self, _x: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }

    fn cross_product(&mut self, x: &[f64], q: &[f64], out: &mut [f64]) {
        out[0] = self.ridge() * dot(x, q);
    }

    fn validation_loss(&mut self, x: &[f64]) -> f64 {
        let mut margins = vec![0.0; self.parts.validation.targets.len()];
        self.parts.validation.features.times(x, &mut margins);
        margins.iter().zip(&self.parts.validation.targets).map(|(t, b)| logistic(b * t).0).sum()
    }

    fn strong_convexity(&self) -> f64 {
        self.ridge()
    }

    /// Σ ‖aᵢ‖ over the test rows, since |ψ'| ≤ 1.
    fn outer_lipschitz(&self) -> f64 {
        self.parts.test.features.row_norms().iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::linalg::design::Design;

    fn part(rows: usize, cols: usize) -> Labelled {
        let a =
            ndarray::Array2::from_shape_fn((rows, cols), |(i, j)| ((i * 7 + j * 3) as f64).sin());
        let signs = (0..rows).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        Labelled::new(Design::dense(a), signs).unwrap()
    }

    #[test]
    fn products_agree_before_and_after_the_hessian_is_written_out() {
        let parts = Thirds { train: part(45, 20), test: part(9, 20), validation: part(9, 20) };
        let mut problem = Logistic::new(parts, Penalty::Half).unwrap();
        let v: Vec<f64> = (0..20).map(|j| f64::from(j).cos()).collect();
        let (mut first, mut out) = (vec![0.0; 20], vec![0.0; 20]);
        for point in [0.1, -0.3] {
            problem.linearise(&[point; 20]);
            problem.hessian_product(&v, &mut first);
            assert!(problem.hessian.matrix.is_empty(), "the matrix of the last point was kept");
            for lambda in [0.0, 2.0] {
                problem.set_lambda(&[lambda]);
                (0..9).for_each(|_| problem.hessian_product(&v, &mut out));
                assert_eq!(problem.hessian.matrix.len(), 400);
                let moved = lambda.exp() - 1.0;
                for ((p, q), t) in first.iter().zip(&out).zip(&v) {
                    assert!((p + moved * t - q).abs() < 1e-11, "{p} {q}");
                }
            }
            problem.set_lambda(&[0.0]);
        }
    }
}
