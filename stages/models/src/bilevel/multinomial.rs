//! Multinomial logistic regression with one regulariser per weight, \[Pedregosa2016\] appendix B.
//!
//! `h(x, λ) = −Σ_train ln softmax(W aᵢ)_label + ½ Σⱼ e^λⱼ xⱼ²`, with W (classes × features) flattened
//! class-major into x; g is the same loss on the test part; sums, no intercept.

use numerics::{
    linalg::{elementary, simd_dispatch::WeighClasses},
    problem::{Bilevel, InnerForm},
};

use super::labelled::{Error, Labelled, Thirds};

/// The bilevel multinomial problem: as many hyper-parameters as weights.
#[derive(Debug, Clone)]
pub struct Multinomial {
    parts: Thirds,
    classes: usize,
    /// e^λⱼ.
    ridge: Vec<f64>,
    /// Class probabilities of the training rows at the point of `linearise`, as the blocks of
    /// `class_fused` hold them, one after the other.
    probabilities: Vec<f64>,
}

impl Multinomial {
    /// Builds the problem from parts whose targets are class numbers 0..`classes`.
    ///
    /// # Errors
    /// If a target is not a class number, there are fewer than two classes, or the parts do not fit together.
    pub fn new(parts: Thirds, classes: usize) -> Result<Self, Error> {
        let class = |t: f64| classes >= 2 && t >= 0.0 && t < classes as f64 && t.fract() == 0.0;
        parts.check(class, "expected a class number from 0, of at least two classes")?;
        let n = parts.train.features.n_cols() * classes;
        let probabilities = vec![0.0; parts.train.targets.len() * classes];
        Ok(Self { parts, classes, ridge: vec![1.0; n], probabilities })
    }
}

/// Maximum number of rows in a block of `class_fused`.
const MAX_ROWS: usize = 64;

/// Replaces z[c·rows + r] by the class probabilities of each row r and returns `Σ_r ln Σ_c e^z`.
#[inline(always)]
fn softmax(z: &mut [f64], rows: usize) -> f64 {
    let (mut top, mut sum) = ([f64::NEG_INFINITY; MAX_ROWS], [0.0; MAX_ROWS]);
    for z_c in z.chunks_exact(rows) {
        for (t, m) in z_c.iter().zip(&mut top) {
            *m = if *t > *m { *t } else { *m };
        }
    }
    for z_c in z.chunks_exact_mut(rows) {
        for ((t, m), s) in z_c.iter_mut().zip(&top).zip(&mut sum) {
            *t = elementary::exp(*t - m);
            *s += *t;
        }
    }
    for z_c in z.chunks_exact_mut(rows) {
        for (t, s) in z_c.iter_mut().zip(&sum) {
            *t /= s;
        }
    }
    top[..rows].iter().zip(&sum).map(|(m, s)| m + s.ln()).sum()
}

/// Sums the losses and turns products into the derivatives `p − e_label`.
struct Losses<'a> {
    labels: &'a [f64],
    total: f64,
}

impl WeighClasses for Losses<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, rows: usize, z: &mut [f64]) {
        let labels = &self.labels[first..first + rows];
        let chosen: f64 = labels.iter().enumerate().map(|(r, l)| z[*l as usize * rows + r]).sum();
        self.total += softmax(z, rows) - chosen;
        for (r, label) in labels.iter().enumerate() {
            z[*label as usize * rows + r] -= 1.0;
        }
    }
}

/// Keeps the class probabilities and sets all weights to zero.
struct Probabilities<'a> {
    kept: &'a mut [f64],
    classes: usize,
}

impl WeighClasses for Probabilities<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, rows: usize, z: &mut [f64]) {
        softmax(z, rows);
        self.kept[first * self.classes..][..z.len()].copy_from_slice(z);
        z.fill(0.0);
    }
}

/// Applies the softmax covariance of each row: u ↦ p∘(u − pᵀu).
struct Covariances<'a> {
    probabilities: &'a [f64],
    classes: usize,
}

impl WeighClasses for Covariances<'_> {
    #[inline(always)]
    fn weigh(&mut self, first: usize, rows: usize, z: &mut [f64]) {
        let p = &self.probabilities[first * self.classes..][..z.len()];
        let mut mean = [0.0; MAX_ROWS];
        for (z_c, p_c) in z.chunks_exact(rows).zip(p.chunks_exact(rows)) {
            for ((m, t), q) in mean.iter_mut().zip(z_c).zip(p_c) {
                *m += q * t;
            }
        }
        for (z_c, p_c) in z.chunks_exact_mut(rows).zip(p.chunks_exact(rows)) {
            for ((m, t), q) in mean.iter().zip(z_c).zip(p_c) {
                *t = q * (*t - m);
            }
        }
    }
}

/// −Σ ln softmax(W aᵢ)_label; adds its gradient to `gradient`.
fn loss(part: &Labelled, x: &[f64], gradient: &mut [f64]) -> f64 {
    let mut losses = Losses { labels: &part.targets, total: 0.0 };
    part.features.class_fused(x, gradient, &mut losses);
    losses.total
}

impl Bilevel for Multinomial {
    fn n_hyper(&self) -> usize {
        self.ridge.len()
    }

    fn n_params(&self) -> usize {
        self.ridge.len()
    }

    fn initial_lambda(&self) -> Vec<f64> {
        vec![0.0; self.ridge.len()]
    }

    fn inner_form(&self) -> InnerForm {
        InnerForm::Smooth
    }

    fn set_lambda(&mut self, lambda: &[f64]) {
        for (r, l) in self.ridge.iter_mut().zip(lambda) {
            *r = l.exp();
        }
    }

    fn inner(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let data = loss(&self.parts.train, x, gradient);
        let mut penalty = 0.0;
        for ((g, r), v) in gradient.iter_mut().zip(&self.ridge).zip(x) {
            *g += r * v;
            penalty += r * v * v;
        }
        data + 0.5 * penalty
    }

    fn linearise(&mut self, x: &[f64]) {
        let mut kept = Probabilities { kept: &mut self.probabilities, classes: self.classes };
        self.parts.train.features.class_fused(x, &mut vec![0.0; x.len()], &mut kept);
    }

    fn hessian_product(&mut self, v: &[f64], out: &mut [f64]) {
        for ((o, r), t) in out.iter_mut().zip(&self.ridge).zip(v) {
            *o = r * t;
        }
        let mut covariances =
            Covariances { probabilities: &self.probabilities, classes: self.classes };
        self.parts.train.features.class_fused(v, out, &mut covariances);
    }

    fn outer(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        loss(&self.parts.test, x, gradient)
    }

    fn outer_hyper_gradient(&mut self, _x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn cross_product(&mut self, x: &[f64], q: &[f64], out: &mut [f64]) {
        for (((o, r), v), t) in out.iter_mut().zip(&self.ridge).zip(x).zip(q) {
            *o = r * v * t;
        }
    }

    fn validation_loss(&mut self, x: &[f64]) -> f64 {
        loss(&self.parts.validation, x, &mut vec![0.0; x.len()])
    }

    fn strong_convexity(&self) -> f64 {
        self.ridge.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// √2 Σ‖aᵢ‖ over the test rows, since `‖p − e_label‖ ≤ √2`.
    fn outer_lipschitz(&self) -> f64 {
        let norms = self.parts.test.features.row_norms();
        std::f64::consts::SQRT_2 * norms.iter().sum::<f64>()
    }
}
