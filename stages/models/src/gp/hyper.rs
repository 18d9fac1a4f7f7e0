//! Hyper-parameters of a Gaussian process with a Matérn 5/2 covariance, sampled from their posterior
//! distribution with the priors of Spearmint \[Snoek2012\].
//!
//! Cov(yᵢ, yⱼ) = a (k(rᵢⱼ) + 10⁻⁶ δᵢⱼ) + ν δᵢⱼ around a constant mean m, with
//! r² = Σ ((xᵢ − xⱼ)/ℓ)² over the dimensions.

use ndarray::{Array1, Array2};
use numerics::linalg::{cholesky::Cholesky, elementary::exp, simd_dispatch::wide};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::gp::slice_sampling::{Slice, shuffled};

/// Share of the amplitude that is added to the diagonal to keep the covariance regular.
pub const JITTER: f64 = 1e-6;

/// The priors. Length scales are uniform on an interval from 0, the amplitude a is log-normal:
/// ln a has deviation 1, the noise ν has the horseshoe law, and m is uniform within the targets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Priors {
    /// Largest length scale on the unit cube: 2 in older versions of Spearmint, 10 in later ones.
    pub longest: f64,
    /// Scale of the horseshoe law of the noise variance.
    pub noise: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self { longest: 2.0, noise: 0.1 }
    }
}

/// Points (n×d) with their targets (n).
#[derive(Debug, Clone)]
pub struct Observed {
    /// The points, one per row.
    pub points: Array2<f64>,
    /// The targets.
    pub targets: Array1<f64>,
}

/// Hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyper {
    /// The mean m.
    pub mean: f64,
    /// The amplitude a.
    pub amplitude: f64,
    /// The noise variance ν.
    pub noise: f64,
    /// The length scales ℓ, one per dimension.
    pub scales: Vec<f64>,
}

impl Hyper {
    /// Where Spearmint's chains begin.
    pub fn start(observed: &Observed) -> Self {
        let n = observed.targets.len() as f64;
        let mean = observed.targets.sum() / n;
        let square = observed.targets.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n;
        let scales = vec![1.0; observed.points.ncols()];
        Self { mean, amplitude: square.sqrt() + 1e-4, noise: 1e-3, scales }
    }

    /// ln p(y | θ) without its constant −n/2 ln 2π; −∞ if the covariance matrix is singular.
    pub fn log_likelihood(&self, observed: &Observed) -> f64 {
        let law = Law::new(observed, Priors::default());
        let mut covariances = law.squares(&self.scales);
        matern(&mut covariances);
        law.likelihood(&covariances, self.mean, self.amplitude, self.noise)
    }
}

wide! {
    /// Matérn 5/2 covariances from r², in place: (1 + s + s²/3) e⁻ˢ with s = √5 r.
    pub(super) fn matern['a]['a](squares: &'a mut [f64]) -> () {
        for v in squares {
            let square = 5.0 * *v;
            let s = square.max(0.0).sqrt();
            *v = (square / 3.0 + s + 1.0) * exp(-s);
        }
    }
}

wide! {
    /// Adds weight (xᵢ − xⱼ)² to r² of each pair j < i, in the order (1, 0), (2, 0), (2, 1), …
    pub(super) fn add_squares['a]['a](x: &'a [f64], weight: f64, squares: &'a mut [f64]) -> () {
        let mut rest = squares;
        for (i, &own) in x.iter().enumerate() {
            let (row, after) = rest.split_at_mut(i);
            for (r, other) in row.iter_mut().zip(x) {
                let difference = own - other;
                *r = (difference * difference).mul_add(weight, *r);
            }
            rest = after;
        }
    }
}

/// The posterior density of hyper-parameters, up to a constant.
struct Law<'a> {
    observed: &'a Observed,
    priors: Priors,
    columns: Vec<Vec<f64>>,
    range: (f64, f64),
}

impl<'a> Law<'a> {
    fn new(observed: &'a Observed, priors: Priors) -> Self {
        let columns = observed.points.columns().into_iter().map(|c| c.to_vec()).collect();
        let low = observed.targets.iter().copied().fold(f64::INFINITY, f64::min);
        let high = observed.targets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { observed, priors, columns, range: (low, high) }
    }

    /// r² of all pairs.
    fn squares(&self, scales: &[f64]) -> Vec<f64> {
        let n = self.observed.targets.len();
        let mut squares = vec![0.0; n * (n - 1) / 2];
        for (column, l) in self.columns.iter().zip(scales) {
            add_squares(column, 1.0 / (l * l), &mut squares);
        }
        squares
    }

    /// ln p(y | θ), from the covariances k of all pairs; −∞ if the matrix is singular.
    fn likelihood(&self, covariances: &[f64], mean: f64, amplitude: f64, noise: f64) -> f64 {
        let n = self.observed.targets.len();
        let mut k = Array2::zeros((n, n));
        let mut pairs = covariances;
        for (i, mut row) in k.rows_mut().into_iter().enumerate() {
            let (own, rest) = pairs.split_at(i);
            for (v, pair) in row.iter_mut().zip(own) {
                *v = amplitude * pair;
            }
            row[i] = amplitude * (1.0 + JITTER) + noise;
            pairs = rest;
        }
        let Ok(factor) = Cholesky::of(k) else { return f64::NEG_INFINITY };
        let residual = &self.observed.targets - mean;
        let solved = factor.solve_lower(residual.view());
        -0.5 * (solved.dot(&solved) + factor.ln_det())
    }

    /// ln of the priors of m, a and ν; −∞ outside their support.
    fn prior(&self, mean: f64, amplitude: f64, noise: f64) -> f64 {
        let (low, high) = self.range;
        let inside = (low..=high).contains(&mean) && amplitude > 0.0 && noise > 0.0;
        if !inside {
            return f64::NEG_INFINITY;
        }
        let horseshoe = (self.priors.noise / noise).powi(2).ln_1p().ln();
        horseshoe - 0.5 * amplitude.ln().powi(2)
    }

    fn allows(&self, scale: f64) -> bool {
        scale > 0.0 && scale <= self.priors.longest
    }
}

/// One iteration of the chain: m, a and ν along a random direction, then each length scale in random
/// order.
fn advance(law: &Law<'_>, at: &mut Hyper, rng: &mut ChaCha12Rng) {
    let slice = Slice::default();
    let mut squares = law.squares(&at.scales);
    let mut covariances = squares.clone();
    matern(&mut covariances);
    let three = |covariances: &[f64], x: &[f64]| {
        let prior = law.prior(x[0], x[1], x[2]);
        if prior == f64::NEG_INFINITY {
            return prior;
        }
        prior + law.likelihood(covariances, x[0], x[1], x[2])
    };
    let mut x = [at.mean, at.amplitude, at.noise];
    let current = three(&covariances, &x);
    let mut current = slice.direction(&mut x, current, rng, |x| three(&covariances, x));
    [at.mean, at.amplitude, at.noise] = x;
    for d in shuffled(at.scales.len(), rng) {
        let scale = at.scales[d];
        let weight = |l: f64| 1.0 / (l * l);
        let (t, found) = slice.update(current, rng, |t| {
            let moved = scale + t;
            if !law.allows(moved) {
                return f64::NEG_INFINITY;
            }
            covariances.copy_from_slice(&squares);
            add_squares(&law.columns[d], weight(moved) - weight(scale), &mut covariances);
            matern(&mut covariances);
            three(&covariances, &x)
        });
        add_squares(&law.columns[d], weight(scale + t) - weight(scale), &mut squares);
        at.scales[d] = scale + t;
        current = found;
    }
}

/// `count` samples of the hyper-parameters, one per iteration, after `burn_in` iterations from `start`.
///
/// # Panics
/// If there are no targets.
pub fn sample(
    observed: &Observed,
    priors: Priors,
    start: Hyper,
    (burn_in, count): (usize, usize),
    rng: &mut ChaCha12Rng,
) -> Vec<Hyper> {
    let law = Law::new(observed, priors);
    let mut at = start;
    // If new targets leave the mean outside their range, it has no density to start from.
    at.mean = at.mean.clamp(law.range.0, law.range.1);
    for _ in 0..burn_in {
        advance(&law, &mut at, rng);
    }
    let next = |_| {
        advance(&law, &mut at, rng);
        at.clone()
    };
    (0..count).map(next).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::gp::kernel::Kernel;

    fn observed(n: usize, d: usize, rng: &mut ChaCha12Rng) -> Observed {
        let points = Array2::from_shape_fn((n, d), |_| rng.random::<f64>());
        let targets = points.rows().into_iter().map(|x| (5.0 * x[0]).sin() + 0.3 * x[d - 1]);
        Observed { targets: targets.collect(), points }
    }

    #[test]
    fn the_likelihood_is_that_of_a_full_covariance_matrix() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let data = observed(9, 3, &mut rng);
        let law = Law::new(&data, Priors::default());
        let scales = [0.3, 1.7, 0.8];
        let mut covariances = law.squares(&scales);
        matern(&mut covariances);
        let (mean, amplitude, noise) = (0.2, 1.3, 0.05);
        let k = Array2::from_shape_fn((9, 9), |(i, j)| {
            let terms = (0..3).map(|d| {
                let difference = (data.points[(i, d)] - data.points[(j, d)]) / scales[d];
                difference * difference
            });
            let own = if i == j { amplitude * JITTER + noise } else { 0.0 };
            amplitude * Kernel::Matern52.value(terms.sum()).0 + own
        });
        let factor = Cholesky::new(&k).unwrap();
        let r = &data.targets - mean;
        let expected = -0.5 * (r.dot(&factor.solve(r.view())) + factor.ln_det());
        let found = law.likelihood(&covariances, mean, amplitude, noise);
        assert!((found - expected).abs() < 1e-10 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn hyper_parameters_stay_within_their_priors_and_find_what_matters() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let data = observed(40, 3, &mut rng);
        let priors = Priors::default();
        let all = sample(&data, priors, Hyper::start(&data), (50, 200), &mut rng);
        assert_eq!(all.len(), 200);
        for h in &all {
            assert!(h.amplitude > 0.0 && h.noise > 0.0 && h.mean.is_finite());
            assert!(h.scales.iter().all(|l| *l > 0.0 && *l <= priors.longest), "{h:?}");
        }
        let mean = |d: usize| all.iter().map(|h| h.scales[d]).sum::<f64>() / 200.0;
        // The middle dimension does not matter: its scale follows the prior, near the middle or above.
        assert!(mean(0) < 0.6 * mean(1), "{} {}", mean(0), mean(1));
    }

    #[test]
    fn without_information_the_chain_has_the_law_of_the_prior() {
        // A single target: the covariance matrix has one entry, which no length scale enters.
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let (points, targets) = (Array2::zeros((1, 1)), Array1::zeros(1));
        let data = Observed { points, targets };
        let priors = Priors { longest: 10.0, noise: 0.1 };
        let all = sample(&data, priors, Hyper::start(&data), (10, 20_000), &mut rng);
        let mean = all.iter().map(|h| h.scales[0]).sum::<f64>() / 20_000.0;
        let square = all.iter().map(|h| h.scales[0] * h.scales[0]).sum::<f64>() / 20_000.0;
        // Uniform on (0, 10]: mean 5, second moment 100/3. With width 1 a chain of 20 000 has a few hundred
        // independent draws.
        assert!((mean - 5.0).abs() < 0.5 && (square - 100.0 / 3.0).abs() < 5.0, "{mean} {square}");
    }
}
