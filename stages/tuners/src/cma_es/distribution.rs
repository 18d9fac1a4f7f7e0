//! The normal distribution that CMA-ES draws from, and its update by a generation \[Hansen2016, arXiv
//! 1604.00772, appendix A\].
//!
//! Two deviations from the tutorial follow the package cmaes, with which values are compared: the exponent in
//! the test of the path's length is larger by 2, and 1e-8 is added to the length by which a negative weight
//! is scaled.

use ndarray::Array2;
use numerics::linalg::symmetric;

use super::strategy::{Strategy, TINY};

/// The largest step size; a larger one means that the search diverges.
const LARGEST_STEP: f64 = 1e32;

/// The shape of the distribution.
#[derive(Debug, Clone, PartialEq)]
pub enum Covariance {
    /// C (n×n).
    Full(Array2<f64>),
    /// The diagonal of C (length n).
    Diagonal(Vec<f64>),
}

/// N(m, σ² C), with its evolution paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Weights and rates.
    pub strategy: Strategy,
    /// m (length n).
    pub mean: Vec<f64>,
    /// σ.
    pub step: f64,
    /// C.
    pub covariance: Covariance,
    /// `p_σ` (length n).
    pub path_step: Vec<f64>,
    /// `p_c` (length n).
    pub path_covariance: Vec<f64>,
    /// Number of generations told so far.
    pub generation: i32,
    /// `h_σ` of the last generation: whether `p_σ` was short enough for `p_c` to go on.
    pub steady: bool,
    /// C^(1/2) and C^(-1/2) of the current C.
    roots: Roots,
}

/// The square root of C and its inverse.
#[derive(Debug, Clone, PartialEq)]
struct Roots {
    root: Covariance,
    inverse: Covariance,
}

impl Distribution {
    /// N(mean, step² I).
    #[must_use]
    pub fn new(strategy: Strategy, mean: Vec<f64>, step: f64, diagonal: bool) -> Self {
        let n = mean.len();
        let covariance = if diagonal {
            Covariance::Diagonal(vec![1.0; n])
        } else {
            Covariance::Full(Array2::eye(n))
        };
        Self::with_covariance(strategy, mean, step, covariance)
    }

    /// N(mean, step² C).
    #[must_use]
    pub fn with_covariance(
        strategy: Strategy,
        mean: Vec<f64>,
        step: f64,
        covariance: Covariance,
    ) -> Self {
        let n = mean.len();
        let roots = Roots::of(&covariance);
        let (path_step, path_covariance) = (vec![0.0; n], vec![0.0; n]);
        Self {
            strategy,
            mean,
            step,
            covariance,
            path_step,
            path_covariance,
            generation: 0,
            steady: true,
            roots,
        }
    }

    /// m + σ C^(1/2) z.
    #[must_use]
    pub fn point(&self, z: &[f64]) -> Vec<f64> {
        let shaped = apply(&self.roots.root, z);
        self.mean.iter().zip(shaped).map(|(m, y)| m + self.step * y).collect()
    }

    /// The largest and the smallest standard deviation along any direction, σ included.
    #[must_use]
    pub fn spread(&self) -> (f64, f64) {
        let values = match &self.covariance {
            Covariance::Full(c) => symmetric::eigenvalues(c),
            Covariance::Diagonal(c) => c.clone(),
        };
        let (low, high) = values
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
        (self.step * high.max(0.0).sqrt(), self.step * low.max(0.0).sqrt())
    }

    /// Updates the distribution by a generation: λ points (each of length n) with their losses, where equal
    /// losses are ranked in the given order. Returns the ranking, best first.
    pub fn tell(&mut self, points: &[Vec<f64>], losses: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..points.len()).collect();
        // The two zeros are equal losses, and a NaN of either sign is the worst.
        let loss = |i: usize| if losses[i].is_nan() { f64::NAN } else { losses[i] + 0.0 };
        order.sort_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        let steps: Vec<Vec<f64>> = order
            .iter()
            .map(|&i| points[i].iter().zip(&self.mean).map(|(x, m)| (x - m) / self.step).collect())
            .collect();
        self.generation += 1;
        let s = &self.strategy;
        let mut moved = vec![0.0; self.mean.len()];
        for (step, weight) in steps.iter().zip(&s.weights).take(s.parents) {
            for (sum, y) in moved.iter_mut().zip(step) {
                *sum += weight * y;
            }
        }
        for (m, y) in self.mean.iter_mut().zip(&moved) {
            *m += self.step * y;
        }

        // The step size grows while successive steps have the same direction, eqs. (43) and (44).
        let length = (s.path_step * (2.0 - s.path_step) * s.mass).sqrt();
        let whitened = apply(&self.roots.inverse, &moved);
        for (p, y) in self.path_step.iter_mut().zip(&whitened) {
            *p = (1.0 - s.path_step) * *p + length * y;
        }
        let norm = self.path_step.iter().map(|p| p * p).sum::<f64>().sqrt();
        let passed = 1.0 - (1.0 - s.path_step).powi(2 * (self.generation + 1));
        let bound = (1.4 + 2.0 / (s.dimensions as f64 + 1.0)) * s.expected_norm;
        self.steady = norm / passed.sqrt() < bound;

        // The covariance, eqs. (45) to (47).
        let steady = f64::from(u8::from(self.steady));
        let length = (s.path_covariance * (2.0 - s.path_covariance) * s.mass).sqrt();
        for (p, y) in self.path_covariance.iter_mut().zip(&moved) {
            *p = (1.0 - s.path_covariance) * *p + steady * length * y;
        }
        let kept = 1.0
            + s.rank_one * (1.0 - steady) * s.path_covariance * (2.0 - s.path_covariance)
            - s.rank_one
            - s.rank_mu * s.weights.iter().sum::<f64>();
        let weights: Vec<f64> = steps
            .iter()
            .zip(&s.weights)
            .map(|(step, weight)| {
                if *weight >= 0.0 {
                    return *weight;
                }
                let square: f64 = apply(&self.roots.inverse, step).iter().map(|y| y * y).sum();
                weight * s.dimensions as f64 / (square + TINY)
            })
            .collect();
        let path = &self.path_covariance;
        let element = |i: usize, j: usize, old: f64| {
            let spread: f64 = steps.iter().zip(&weights).map(|(y, w)| w * y[i] * y[j]).sum();
            kept * old + s.rank_one * path[i] * path[j] + s.rank_mu * spread
        };
        match &mut self.covariance {
            Covariance::Full(c) => {
                for i in 0..path.len() {
                    for j in 0..=i {
                        c[[i, j]] = element(i, j, c[[i, j]]);
                        c[[j, i]] = c[[i, j]];
                    }
                }
            }
            Covariance::Diagonal(c) => {
                for (i, c) in c.iter_mut().enumerate() {
                    *c = element(i, i, *c);
                }
            }
        }
        self.step *= (s.path_step / s.damping * (norm / s.expected_norm - 1.0)).exp();
        self.step = self.step.min(LARGEST_STEP);
        self.roots = Roots::of(&self.covariance);
        order
    }

    /// The length of `p_σ`.
    #[must_use]
    pub fn path_norm(&self) -> f64 {
        self.path_step.iter().map(|p| p * p).sum::<f64>().sqrt()
    }
}

impl Roots {
    fn of(covariance: &Covariance) -> Self {
        // Rounding can leave a variance that is not positive.
        let deviation = |value: f64| if value < 0.0 { TINY } else { value }.sqrt();
        match covariance {
            Covariance::Diagonal(c) => {
                let root: Vec<f64> = c.iter().map(|v| deviation(*v)).collect();
                let inverse = Covariance::Diagonal(root.iter().map(|d| 1.0 / d).collect());
                Self { root: Covariance::Diagonal(root), inverse }
            }
            Covariance::Full(c) => {
                let (values, vectors) = symmetric::decomposed(c);
                let with = |f: &dyn Fn(f64) -> f64| {
                    let scaled = &vectors * &values.mapv(|v| f(deviation(v)));
                    Covariance::Full(scaled.dot(&vectors.t()))
                };
                Self { root: with(&|d| d), inverse: with(&|d| 1.0 / d) }
            }
        }
    }
}

fn apply(matrix: &Covariance, x: &[f64]) -> Vec<f64> {
    match matrix {
        Covariance::Diagonal(d) => d.iter().zip(x).map(|(d, x)| d * x).collect(),
        Covariance::Full(m) => {
            m.rows().into_iter().map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_losses_keep_their_order_and_undefined_ones_are_last() {
        let strategy = Strategy::full(2, 6);
        let mut ours = Distribution::new(strategy, vec![0.0; 2], 1.0, false);
        let points: Vec<Vec<f64>> = (0..6).map(|i| vec![f64::from(i), 1.0]).collect();
        assert_eq!(ours.tell(&points, &[1.0, 0.0, -0.0, 0.0, -0.0, 3.0]), [1, 2, 3, 4, 0, 5]);
        let losses = [-f64::NAN, f64::INFINITY, -0.0, 0.0, f64::NAN, f64::NEG_INFINITY];
        assert_eq!(ours.tell(&points, &losses), [5, 2, 3, 1, 0, 4]);
    }
}
