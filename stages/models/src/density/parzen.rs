//! Parzen estimators of one parameter in [0, 1] or of one category, as in TPE: one kernel per point and one
//! for the prior.

use numerics::linalg::{elementary::exp, simd_dispatch::wide};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::density::{
    mixture::{pick, recency_weights},
    truncated_normal,
};

/// How many of the newest points count fully, while older ones count less.
const REMEMBERED: usize = 25;
/// Points whose densities are computed side by side in registers.
const LANES: usize = 8;

/// Weights of n points, the oldest first, followed by that of the prior; not normalised. The last 25 points
/// count fully, older ones linearly less.
fn weights(n: usize) -> Vec<f64> {
    let mut weights = recency_weights(n, REMEMBERED);
    weights.push(1.0);
    weights
}

/// A mixture of normal distributions truncated to [0, 1].
#[derive(Debug, Clone, Default)]
pub struct Real {
    /// By kernel, in the order in which [`Real::draw`] goes through them; their sum is 1.
    weights: Vec<f64>,
    means: Vec<f64>,
    deviations: Vec<f64>,
    curves: Curves,
}

/// Kernels as the terms heightₖ exp(−(steepnessₖ (x − meanₖ))²) of a density, so that one exponential is all that a
/// term costs.
#[derive(Debug, Clone, Default)]
struct Curves {
    means: Vec<f64>,
    steepnesses: Vec<f64>,
    heights: Vec<f64>,
}

impl Real {
    /// Kernels at points in [0, 1], the oldest first. A kernel is as wide as the larger gap to its
    /// neighbours, the prior's centre among them, between 1/min(100, n + 2) and 1.
    pub fn fit(points: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a].total_cmp(&points[b]));
        let sorted = Self::fit_sorted(order.iter().map(|&i| (points[i], i)));
        let n = points.len();
        let mut places = vec![n; n + 1];
        for (at, &i) in order.iter().enumerate() {
            places[i] = at;
        }
        sorted.permuted(&places)
    }

    /// As [`Real::fit`], from points in ascending order, each with its age: 0 for the oldest, n − 1 for the newest.
    /// The kernels are then drawn from in this order, and the prior last.
    pub fn fit_sorted(points: impl ExactSizeIterator<Item = (f64, usize)>) -> Self {
        const PRIOR: f64 = 0.5;
        let n = points.len();
        let by_age = weights(n);
        let total: f64 = by_age.iter().sum();
        let mut means = Vec::with_capacity(n + 1);
        let mut weights = Vec::with_capacity(n + 1);
        for (mean, age) in points {
            means.push(mean);
            weights.push(by_age[age] / total);
        }
        means.push(PRIOR);
        weights.push(by_age[n] / total);
        let least = 1.0 / ((n + 2) as f64).min(100.0);
        // The prior's centre comes after the points that are no larger.
        let split = means[..n].partition_point(|&mean| mean <= PRIOR);
        let deviation = |i: usize| {
            // The ends of [0, 1] are neighbours of a kernel only if it has no other.
            let left = if i == split { Some(PRIOR) } else { i.checked_sub(1).map(|l| means[l]) };
            let right = if i + 1 == split { Some(PRIOR) } else { means[..n].get(i + 1).copied() };
            let left = left.map_or(0.0, |left| means[i] - left);
            let right = right.map_or(0.0, |right| right - means[i]);
            left.max(right).clamp(least, 1.0)
        };
        let mut deviations: Vec<f64> = (0..n).map(deviation).collect();
        deviations.push(1.0);
        let curves = Curves::new(&weights, &means, &deviations);
        Self { weights, means, deviations, curves }
    }

    /// The same mixture, with kernel `places[k]` in place k.
    fn permuted(&self, places: &[usize]) -> Self {
        let of = |values: &[f64]| places.iter().map(|&place| values[place]).collect();
        let curves = Curves {
            means: of(&self.curves.means),
            steepnesses: of(&self.curves.steepnesses),
            heights: of(&self.curves.heights),
        };
        let (weights, means) = (of(&self.weights), of(&self.means));
        Self { weights, means, deviations: of(&self.deviations), curves }
    }

    /// A draw.
    pub fn draw(&self, rng: &mut ChaCha12Rng) -> f64 {
        let i = pick(self.weights.iter().copied(), rng.random());
        truncated_normal::draw(self.means[i], self.deviations[i], rng)
    }

    /// ln of the density at each x in [0, 1].
    pub fn ln_densities(&self, points: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; points.len()];
        for (points, sums) in points.chunks(LANES).zip(sums.chunks_mut(LANES)) {
            let mut block = [0.0; LANES];
            block[..points.len()].copy_from_slice(points);
            let total = sums_of(&self.curves, &block);
            sums.copy_from_slice(&total[..points.len()]);
        }
        sums.iter().map(|sum| sum.ln()).collect()
    }
}

impl Curves {
    fn new(weights: &[f64], means: &[f64], deviations: &[f64]) -> Self {
        let height = |((&weight, &mean), &deviation): ((&f64, &f64), &f64)| {
            let mass = truncated_normal::mass(mean, deviation);
            weight / (deviation * std::f64::consts::TAU.sqrt() * mass)
        };
        Self {
            means: means.to_vec(),
            steepnesses: deviations.iter().map(|d| std::f64::consts::FRAC_1_SQRT_2 / d).collect(),
            heights: weights.iter().zip(means).zip(deviations).map(height).collect(),
        }
    }
}

wide! {
    /// The densities at a block of points, each summed in the order of the kernels.
    fn sums_of['a]['a](curves: &'a Curves, points: &'a [f64; LANES]) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        let kernels = curves.means.iter().zip(&curves.steepnesses).zip(&curves.heights);
        for ((&mean, &steepness), &height) in kernels {
            for (sum, &x) in sums.iter_mut().zip(points) {
                let z = (x - mean) * steepness;
                *sum = height.mul_add(exp(-z * z), *sum);
            }
        }
        sums
    }
}

/// Probabilities of categories.
#[derive(Debug, Clone)]
pub struct Choice {
    probabilities: Vec<f64>,
}

impl Choice {
    /// One kernel per point, the oldest first: 1 for its own category and 1/(n + 1) for each.
    pub fn fit(points: impl ExactSizeIterator<Item = usize>, choices: usize) -> Self {
        let n = points.len();
        let weights = weights(n);
        let total: f64 = weights.iter().sum();
        let spread = 1.0 / (n + 1) as f64;
        let norm = 1.0 + choices as f64 * spread;
        let mut probabilities = vec![weights[n] / total / choices as f64; choices];
        for (w, point) in weights.iter().zip(points) {
            for (c, p) in probabilities.iter_mut().enumerate() {
                let own = if c == point { 1.0 } else { 0.0 };
                *p += w / total * (own + spread) / norm;
            }
        }
        Self { probabilities }
    }

    /// A draw.
    pub fn draw(&self, rng: &mut ChaCha12Rng) -> usize {
        pick(self.probabilities.iter().copied(), rng.random())
    }

    /// ln of a category's probability.
    pub fn ln_density(&self, category: usize) -> f64 {
        self.probabilities[category].ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn weights_ramp_up_to_the_last_25() {
        assert_eq!(weights(3), [1.0; 4]);
        let w = weights(28);
        assert!((w[0] - 1.0 / 28.0).abs() < 1e-15 && (w[1] - 29.0 / 56.0).abs() < 1e-15);
        assert!(w[2..].iter().all(|v| (v - 1.0).abs() < 1e-15) && w.len() == 29);
    }

    #[test]
    fn densities_sum_to_one() {
        let real = Real::fit(&[0.1, 0.9, 0.91, 0.3]);
        let n = 20_000;
        let points: Vec<f64> = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n)).collect();
        let total: f64 = real.ln_densities(&points).iter().map(|ln| ln.exp() / f64::from(n)).sum();
        assert!((total - 1.0).abs() < 1e-7, "{total}");
        let choice = Choice::fit([0, 2, 2].into_iter(), 4);
        let total: f64 = (0..4).map(|c| choice.ln_density(c).exp()).sum();
        assert!((total - 1.0).abs() < 1e-14);
        // Kernels of weight ¼ and spread ¼ of norm 2: own 5/8, others 1/8, prior 1/4.
        assert!((choice.ln_density(2).exp() - (0.625 * 2.0 + 0.125 + 0.25) / 4.0).abs() < 1e-14);
    }

    #[test]
    fn kernels_are_as_wide_as_their_larger_gap() {
        let real = Real::fit(&[0.1, 0.9, 0.2]);
        // Sorted: 0.1, 0.2, the prior at 0.5, 0.9; the first width is raised to 1/5.
        let expected = [0.2, 0.4, 0.3, 1.0];
        assert!(real.deviations.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-15));
    }

    #[test]
    fn a_density_is_the_sum_of_its_kernels() {
        // Equal points, one at the prior's centre, both ends, and more than one block of points.
        let centres: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 61) / 60.0).collect();
        for points in [&centres[..], &[0.0, 1.0, 0.5, 0.5, 0.3], &[0.7], &[]] {
            let real = Real::fit(points);
            let xs: Vec<f64> = (0..21).map(|i| f64::from(i) / 20.0).collect();
            for (x, ln) in xs.iter().zip(real.ln_densities(&xs)) {
                let kernel = |k: usize| {
                    let (mean, deviation) = (real.means[k], real.deviations[k]);
                    let mass = truncated_normal::mass(mean, deviation);
                    real.weights[k] * truncated_normal::ln_density(*x, mean, deviation, mass).exp()
                };
                let sum: f64 = (0..=points.len()).map(kernel).sum();
                assert!((ln - sum.ln()).abs() < 1e-13, "{points:?} {x}: {ln} {}", sum.ln());
            }
        }
    }

    #[test]
    fn the_order_of_kernels_is_that_of_ages_or_of_points() {
        let points = [0.8, 0.5, 0.1, 0.5];
        let (aged, sorted) = (Real::fit(&points), {
            let order = [2, 1, 3, 0];
            Real::fit_sorted(order.into_iter().map(|i| (points[i], i)))
        });
        assert_eq!(aged.means, [0.8, 0.5, 0.1, 0.5, 0.5]);
        assert_eq!(sorted.means, [0.1, 0.5, 0.5, 0.8, 0.5]);
        for (i, place) in [(0, 3), (1, 1), (2, 0), (3, 2), (4, 4)] {
            assert_eq!(aged.deviations[i].to_bits(), sorted.deviations[place].to_bits());
            assert_eq!(aged.weights[i].to_bits(), sorted.weights[place].to_bits());
        }
    }

    #[test]
    fn draws_fall_where_the_density_is() {
        let (real, mut rng) = (Real::fit(&[0.2; 40]), ChaCha12Rng::seed_from_u64(1));
        let near = (0..1000).filter(|_| (real.draw(&mut rng) - 0.2).abs() < 0.1).count();
        assert!(near > 900, "{near}");
        let choice = Choice::fit([1; 40].into_iter(), 3);
        assert!((0..1000).filter(|_| choice.draw(&mut rng) == 1).count() > 900);
    }
}
