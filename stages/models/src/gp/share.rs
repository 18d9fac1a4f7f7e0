//! Gaussian processes over a point and the share of the data that it is evaluated on, the surrogates of
//! Fabolas \[Klein2017\], with hyper-parameters sampled from their posterior distribution.
//!
//! Cov((x, t), (x', t')) = k(x, x') φ(t)ᵀ Σ φ(t') + ν δ with k the Matérn 5/2 covariance, one length scale
//! per input, φ(t) = (1, b(t)) and Σ = L Lᵀ of order 2. t in \[0, 1\] is the share on a logarithmic scale, 1
//! for the whole.

use ndarray::{Array1, Array2};
use numerics::linalg::cholesky::Cholesky;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::gp::{
    hyper::{add_squares, matern},
    kernel::Kernel,
    slice_sampling::Slice,
};

/// b(t): how a quantity changes with the share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// (1 − t)²: for a loss, which levels off as the share grows.
    Loss,
    /// t: for a cost.
    Cost,
}

impl Basis {
    fn of(self, t: f64) -> f64 {
        match self {
            Self::Loss => (1.0 - t) * (1.0 - t),
            Self::Cost => t,
        }
    }
}

/// Observations: points, shares and targets, n each. Targets with mean 0 and standard deviation 1 suit the
/// priors.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// Points, all of one length.
    pub points: Vec<Vec<f64>>,
    /// t.
    pub shares: Vec<f64>,
    /// The observed targets.
    pub targets: Vec<f64>,
}

/// Hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareHyper {
    /// ln ℓ, one per input; uniform on \[−5, 1\].
    pub ln_scales: Vec<f64>,
    /// L₁₁, L₂₁, L₂₂; standard normal.
    pub lower: [f64; 3],
    /// ln ν on \[−18, 3\]; ν has a horseshoe prior of scale 0.1.
    pub ln_noise: f64,
}

impl ShareHyper {
    /// Where a chain begins.
    pub fn start(inputs: usize) -> Self {
        Self { ln_scales: vec![-0.7; inputs], lower: [1.0, 0.0, 0.5], ln_noise: -5.0 }
    }

    fn to_vector(&self) -> Vec<f64> {
        let mut x = self.ln_scales.clone();
        x.extend(self.lower);
        x.push(self.ln_noise);
        x
    }

    fn from_vector(x: &[f64]) -> Self {
        let (scales, rest) = x.split_at(x.len() - 4);
        let lower = [rest[0], rest[1], rest[2]];
        Self { ln_scales: scales.to_vec(), lower, ln_noise: rest[3] }
    }

    fn ln_prior(&self) -> f64 {
        let inside = self.ln_scales.iter().all(|s| (-5.0..=1.0).contains(s))
            && (-18.0..=3.0).contains(&self.ln_noise);
        if !inside {
            return f64::NEG_INFINITY;
        }
        let horseshoe = (0.1 / self.ln_noise.exp()).powi(2).ln_1p().ln();
        horseshoe - 0.5 * self.lower.iter().map(|l| l * l).sum::<f64>()
    }

    /// φ(t)ᵀ Σ φ(t'), as a product of Lᵀφ.
    fn of_shares(&self, p: f64, q: f64) -> f64 {
        let [l0, l1, l2] = self.lower;
        (l0 + l1 * p) * (l0 + l1 * q) + l2 * l2 * p * q
    }
}

/// ln of the posterior density of hyper-parameters, up to a constant, over their vector.
struct Law<'a> {
    data: &'a Shared,
    basis: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl<'a> Law<'a> {
    fn new(data: &'a Shared, basis: Basis) -> Self {
        let inputs = data.points.first().map_or(0, Vec::len);
        let column = |d: usize| data.points.iter().map(|p| p[d]).collect();
        Self {
            data,
            basis: data.shares.iter().map(|&t| basis.of(t)).collect(),
            columns: (0..inputs).map(column).collect(),
        }
    }

    fn covariance(&self, hyper: &ShareHyper) -> Array2<f64> {
        let n = self.data.targets.len();
        let mut k = vec![0.0; n * (n - 1) / 2];
        for (column, s) in self.columns.iter().zip(&hyper.ln_scales) {
            add_squares(column, (-2.0 * s).exp(), &mut k);
        }
        matern(&mut k);
        let mut full = Array2::zeros((n, n));
        let mut pairs = &k[..];
        for (i, mut row) in full.rows_mut().into_iter().enumerate() {
            let p = self.basis[i];
            let (own, rest) = pairs.split_at(i);
            for ((v, value), q) in row.iter_mut().zip(own).zip(&self.basis) {
                *v = value * hyper.of_shares(p, *q);
            }
            row[i] = hyper.of_shares(p, p) + hyper.ln_noise.exp() + 1e-10;
            pairs = rest;
        }
        full
    }

    fn ln_density(&self, x: &[f64]) -> f64 {
        let hyper = ShareHyper::from_vector(x);
        let prior = hyper.ln_prior();
        if prior == f64::NEG_INFINITY {
            return prior;
        }
        let Ok(factor) = Cholesky::of(self.covariance(&hyper)) else { return f64::NEG_INFINITY };
        let white = factor.solve_lower(Array1::from(self.data.targets.clone()).view());
        prior - 0.5 * (white.dot(&white) + factor.ln_det())
    }
}

/// `kept` hyper-parameters, evenly spaced over `chain` updates of all coordinates after `burn_in` updates
/// from `start`; fewer if the chain is shorter.
pub fn sample(
    data: &Shared,
    basis: Basis,
    start: &ShareHyper,
    (burn_in, chain, kept): (usize, usize, usize),
    rng: &mut ChaCha12Rng,
) -> Vec<ShareHyper> {
    let law = Law::new(data, basis);
    let slice = Slice::default();
    let mut x = start.to_vector();
    let mut current = law.ln_density(&x);
    let mut found = Vec::with_capacity(kept);
    for i in 0..burn_in + chain {
        if current.is_finite() {
            current = slice.coordinates(&mut x, current, rng, |x| law.ln_density(x));
        }
        // The k-th is taken after ⌈(k + 1) chain/kept⌉ updates.
        let made = (i + 1).saturating_sub(burn_in);
        if i >= burn_in && made * kept >= (found.len() + 1) * chain {
            found.push(ShareHyper::from_vector(&x));
        }
    }
    found
}

/// A posterior of noise-free values.
#[derive(Debug, Clone)]
pub struct ShareGp {
    hyper: ShareHyper,
    basis: Basis,
    points: Vec<Vec<f64>>,
    at: Vec<f64>,
    factor: Cholesky,
    alpha: Array1<f64>,
}

impl ShareGp {
    /// The posterior given data; `None` if their covariance is singular.
    pub fn new(data: &Shared, basis: Basis, hyper: ShareHyper) -> Option<Self> {
        let law = Law::new(data, basis);
        let factor = Cholesky::of(law.covariance(&hyper)).ok()?;
        let alpha = factor.solve(Array1::from(data.targets.clone()).view());
        let (points, at) = (data.points.clone(), law.basis);
        Some(Self { hyper, basis, points, at, factor, alpha })
    }

    /// ν.
    pub fn noise(&self) -> f64 {
        self.hyper.ln_noise.exp()
    }

    /// Prior covariance of two inputs, given b of their shares.
    fn prior(&self, (x, p): (&[f64], f64), (z, q): (&[f64], f64)) -> f64 {
        let terms = x.iter().zip(z).zip(&self.hyper.ln_scales);
        let squared: f64 = terms.map(|((a, b), s)| (a - b) * (a - b) * (-2.0 * s).exp()).sum();
        Kernel::Matern52.value(squared).0 * self.hyper.of_shares(p, q)
    }

    /// Posterior mean at a point and share, its whitened covariances with the data, and its variance.
    pub fn predict(&self, x: &[f64], t: f64) -> Prediction {
        let b = self.basis.of(t);
        let data = self.points.iter().zip(&self.at);
        let k: Array1<f64> = data.map(|(z, &q)| self.prior((x, b), (z, q))).collect();
        let white = self.factor.solve_lower(k.view());
        let variance = (self.hyper.of_shares(b, b) - white.dot(&white)).max(0.0);
        Prediction { x: x.to_vec(), b, mean: k.dot(&self.alpha), variance, white }
    }

    /// Posterior covariance of two inputs.
    pub fn covariance(&self, a: &Prediction, b: &Prediction) -> f64 {
        self.prior((&a.x, a.b), (&b.x, b.b)) - a.white.dot(&b.white)
    }
}

/// The posterior at a point with its share.
#[derive(Debug, Clone)]
pub struct Prediction {
    x: Vec<f64>,
    b: f64,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior variance.
    pub variance: f64,
    white: Array1<f64>,
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn data(n: usize, rng: &mut ChaCha12Rng) -> Shared {
        let points: Vec<Vec<f64>> =
            (0..n).map(|_| vec![rng.random::<f64>(), rng.random::<f64>()]).collect();
        let shares: Vec<f64> = (0..n).map(|i| (i % 4) as f64 / 3.0).collect();
        let value = |(x, t): (&Vec<f64>, &f64)| (4.0 * x[0]).sin() + 1.5 * (1.0 - t) * (1.0 - t);
        let targets = points.iter().zip(&shares).map(value).collect();
        Shared { points, shares, targets }
    }

    fn hyper() -> ShareHyper {
        ShareHyper { ln_scales: vec![-0.5, 0.3], lower: [0.9, -0.4, 0.7], ln_noise: -7.0 }
    }

    /// Against the joint Gaussian, written out with explicit Σ.
    #[test]
    fn the_posterior_is_that_of_the_joint_gaussian() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for basis in [Basis::Loss, Basis::Cost] {
            let data = data(12, &mut rng);
            let gp = ShareGp::new(&data, basis, hyper()).unwrap();
            let k = |x: &[f64], t: f64, z: &[f64], u: f64| {
                let r2 = ((x[0] - z[0]) / f64::exp(-0.5)).powi(2)
                    + ((x[1] - z[1]) / f64::exp(0.3)).powi(2);
                let (b, c) = match basis {
                    Basis::Loss => ((1.0 - t).powi(2), (1.0 - u).powi(2)),
                    Basis::Cost => (t, u),
                };
                // Σ = LLᵀ.
                let s = [0.81, -0.36, 0.16 + 0.49];
                Kernel::Matern52.value(r2).0 * (s[0] + s[1] * (b + c) + s[2] * b * c)
            };
            let n = 12;
            let full = Array2::from_shape_fn((n, n), |(i, j)| {
                let own = if i == j { f64::exp(-7.0) + 1e-10 } else { 0.0 };
                k(&data.points[i], data.shares[i], &data.points[j], data.shares[j]) + own
            });
            let factor = Cholesky::new(&full).unwrap();
            let (x, z) = ([0.3, 0.8], [0.6, 0.1]);
            let to = |p: &[f64], t: f64| -> Array1<f64> {
                (0..n).map(|i| k(p, t, &data.points[i], data.shares[i])).collect()
            };
            let (kx, kz) = (to(&x, 0.4), to(&z, 1.0));
            let (a, b) = (gp.predict(&x, 0.4), gp.predict(&z, 1.0));
            let y = Array1::from(data.targets.clone());
            assert!((a.mean - kx.dot(&factor.solve(y.view()))).abs() < 1e-10);
            let variance = k(&x, 0.4, &x, 0.4) - kx.dot(&factor.solve(kx.view()));
            assert!((a.variance - variance).abs() < 1e-10);
            let covariance = k(&x, 0.4, &z, 1.0) - kx.dot(&factor.solve(kz.view()));
            assert!((gp.covariance(&a, &b) - covariance).abs() < 1e-10);
        }
    }

    #[test]
    fn sampled_processes_learn_the_point_and_the_share() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let data = data(40, &mut rng);
        let start = ShareHyper::start(2);
        let all = sample(&data, Basis::Loss, &start, (30, 20, 5), &mut rng);
        assert_eq!(all.len(), 5);
        // The second input does not matter.
        assert!(all.iter().all(|h| h.ln_scales[0] < h.ln_scales[1] + 0.5), "{all:?}");
        for hyper in all {
            let gp = ShareGp::new(&data, Basis::Loss, hyper).unwrap();
            for (x, t) in [([0.2, 0.5], 1.0), ([0.7, 0.3], 0.5)] {
                let truth = f64::sin(4.0 * x[0]) + 1.5 * (1.0 - t) * (1.0 - t);
                assert!((gp.predict(&x, t).mean - truth).abs() < 0.15, "{x:?}");
            }
        }
    }

    #[test]
    fn what_is_kept_is_evenly_spaced() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let data = data(5, &mut rng);
        let start = ShareHyper::start(2);
        for (chain, kept, expected) in [(10, 5, 5), (7, 3, 3), (2, 5, 2), (1, 1, 1)] {
            let all = sample(&data, Basis::Cost, &start, (1, chain, kept), &mut rng);
            assert_eq!(all.len(), expected, "{chain} {kept}");
        }
    }
}
