//! Smoothness of a learner's loss, \[Yedida2024\] sec. 4: the theorems, and what the authors' code computes.
//! The true curvature is computed in `hessian`.
//!
//! Where the paper and its code differ, both variants are here, under their own names; the configuration says
//! which one a search uses.

use ndarray::{ArrayView2, Axis};
use numerics::linalg::symmetric;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use crate::neural::feedforward::{Network, scalar::Scalar};

/// The parts of the bound (k − 1)/(k m) · sup‖a‖ / ‖W‖.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Norm of the activations that the last weights multiply.
    pub activations: f64,
    /// ‖W‖_F of the last weights.
    pub weights: f64,
    /// Classes k.
    pub classes: usize,
    /// Rows m.
    pub rows: usize,
}

impl Bound {
    /// (k − 1)/(k m), with k the classes and m the rows.
    pub fn factor(self) -> f64 {
        let k = self.classes as f64;
        (k - 1.0) / (k * self.rows as f64)
    }

    /// sup‖a‖ / ‖W‖, or 0 for zero weights: the authors' code for networks.
    pub fn quotient(self) -> f64 {
        if self.weights == 0.0 { 0.0 } else { self.activations / self.weights }
    }

    /// (k − 1)/(k m) · sup‖a‖ / ‖W‖: theorem 1 and corollary 1.1 up to their constant. Infinite for
    /// zero weights, as the authors' code has it for logistic regression.
    pub fn theorem(self) -> f64 {
        self.factor() * self.activations / self.weights
    }
}

/// The set over which the supremum of ‖a‖ is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Frobenius norms of consecutive batches of rows, as the authors' code takes them.
    Batches(usize),
    /// Euclidean norms of single rows.
    Rows,
    /// The spectral norm of all rows together.
    Spectral,
}

impl Extent {
    /// The norms over which the supremum goes (a single one for [`Extent::Spectral`]).
    pub fn norms(self, a: ArrayView2<'_, f64>) -> Vec<f64> {
        let frobenius = |part: ArrayView2<'_, f64>| part.iter().map(|v| v * v).sum::<f64>().sqrt();
        match self {
            Self::Batches(size) => {
                a.axis_chunks_iter(Axis(0), size.max(1)).map(frobenius).collect()
            }
            Self::Rows => a.axis_chunks_iter(Axis(0), 1).map(frobenius).collect(),
            Self::Spectral => vec![symmetric::largest(&a.t().dot(&a)).max(0.0).sqrt()],
        }
    }

    /// The largest of these norms.
    fn supremum(self, a: ArrayView2<'_, f64>) -> f64 {
        self.norms(a).into_iter().fold(0.0, f64::max)
    }
}

/// Theorem 1: the layer below the head over the rows of `x`, against the head's matrix.
pub fn feedforward<T: Scalar>(
    network: &Network<T>,
    x: ArrayView2<'_, f64>,
    classes: usize,
    extent: Extent,
) -> Bound {
    let kernel = network.last_kernel().iter().map(|w| w.to_f64().powi(2));
    Bound {
        activations: extent.supremum(network.last_hidden(x).view()),
        weights: kernel.sum::<f64>().sqrt(),
        classes,
        rows: x.nrows(),
    }
}

/// Corollary 1.1: the rows of `x` against the coefficients (without intercepts); the authors' code
/// takes all rows as one batch.
pub fn logistic(
    x: ArrayView2<'_, f64>,
    coefficients: ArrayView2<'_, f64>,
    classes: usize,
    extent: Extent,
) -> Bound {
    Bound {
        activations: extent.supremum(x),
        weights: coefficients.iter().map(|w| w * w).sum::<f64>().sqrt(),
        classes,
        rows: x.nrows(),
    }
}

/// The learner-agnostic variant that sec. 4.5 sketches: the largest
/// |E(x + h u) − 2 E(x) + E(x − h u)| / h² over the given points and random unit directions u, a
/// lower estimate of ‖∇²E‖ with error O(h²).
///
/// E can be a loss as a function of the weights or an impurity as a function of the features; `loss` is
/// called three times per direction.
pub fn finite_difference(
    points: ArrayView2<'_, f64>,
    step: f64,
    directions: usize,
    rng: &mut ChaCha12Rng,
    mut loss: impl FnMut(&[f64]) -> f64,
) -> f64 {
    let mut most = 0.0_f64;
    for point in points.rows() {
        let point = point.to_vec();
        let centre = loss(&point);
        for _ in 0..directions {
            let u: Vec<f64> = point.iter().map(|_| StandardNormal.sample(rng)).collect();
            let scale = step / u.iter().map(|v| v * v).sum::<f64>().sqrt();
            let mut moved = |sign: f64| {
                let x: Vec<f64> = point.iter().zip(&u).map(|(p, v)| p + sign * scale * v).collect();
                loss(&x)
            };
            let curvature = (moved(1.0) - 2.0 * centre + moved(-1.0)).abs() / (step * step);
            // `max` is not used, since it would swallow NaN.
            most = if curvature <= most { most } else { curvature };
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn extents_of_a_known_matrix() {
        let x = array![[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]];
        assert_eq!(Extent::Batches(2).norms(x.view()), [5.0, 0.0]);
        assert_eq!(Extent::Rows.norms(x.view()), [3.0, 4.0, 0.0]);
        assert!((Extent::Spectral.norms(x.view())[0] - 4.0).abs() < 1e-14);
    }

    #[test]
    fn zero_weights_give_what_the_code_gives() {
        let x = array![[1.0], [2.0]];
        let bound = logistic(x.view(), array![[0.0]].view(), 2, Extent::Rows);
        assert_eq!((bound.quotient(), bound.theorem()), (0.0, f64::INFINITY));
        let bound = logistic(x.view(), array![[0.5]].view(), 2, Extent::Rows);
        assert_eq!((bound.quotient(), bound.theorem()), (4.0, 1.0));
    }

    #[test]
    fn differences_approach_the_largest_eigenvalue_of_a_quadratic_from_below() {
        let points = Array2::zeros((1, 3));
        let loss = |x: &[f64]| 0.5 * (5.0 * x[0] * x[0] - 7.0 * x[1] * x[1] + x[2] * x[2]);
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let found = finite_difference(points.view(), 1e-3, 500, &mut rng, loss);
        assert!(found <= 7.0 + 1e-9 && found > 6.5, "{found}");
        let nan = finite_difference(points.view(), 1e-3, 2, &mut rng, |x| x[0] * f64::NAN);
        assert!(nan.is_nan());
    }
}
