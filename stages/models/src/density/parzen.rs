//! Parzen estimators of one parameter in [0, 1] or of one category, as in TPE: one kernel per point and one
//! for the prior.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::density::{
    mixture::{pick, recency_weights},
    truncated_normal,
};

/// Weights of n points, the oldest first, followed by that of the prior; not normalised. The last 25 points
/// count fully, older ones linearly less.
fn weights(n: usize) -> Vec<f64> {
    let mut weights = recency_weights(n, 25);
    weights.push(1.0);
    weights
}

#[derive(Debug, Clone, Copy)]
struct Kernel {
    weight: f64,
    mean: f64,
    deviation: f64,
    mass: f64,
}

/// A mixture of normal distributions truncated to [0, 1].
#[derive(Debug, Clone)]
pub struct Real {
    kernels: Vec<Kernel>,
}

impl Real {
    /// Kernels at points in [0, 1], the oldest first. A kernel is as wide as the larger gap to its
    /// neighbours, the prior's centre among them, between 1/min(100, n + 2) and 1.
    pub fn fit(points: &[f64]) -> Self {
        let n = points.len();
        let mut order: Vec<usize> = (0..=n).collect();
        let centre = |i: usize| points.get(i).copied().unwrap_or(0.5);
        order.sort_by(|&a, &b| centre(a).total_cmp(&centre(b)));
        let least = 1.0 / ((n + 2) as f64).min(100.0);
        let mut deviations = vec![1.0; n + 1];
        for (at, &i) in order.iter().enumerate() {
            // The ends of [0, 1] are neighbours of a kernel only if it has no other.
            let left = at.checked_sub(1).map(|l| centre(i) - centre(order[l]));
            let right = order.get(at + 1).map(|&r| centre(r) - centre(i));
            let gap = left.unwrap_or(0.0).max(right.unwrap_or(0.0));
            if i < n {
                deviations[i] = gap.clamp(least, 1.0);
            }
        }
        let weights = weights(n);
        let total: f64 = weights.iter().sum();
        let kernel = |i: usize| Kernel {
            weight: weights[i] / total,
            mean: centre(i),
            deviation: deviations[i],
            mass: truncated_normal::mass(centre(i), deviations[i]),
        };
        Self { kernels: (0..=n).map(kernel).collect() }
    }

    /// A draw.
    pub fn draw(&self, rng: &mut ChaCha12Rng) -> f64 {
        let i = pick(self.kernels.iter().map(|k| k.weight), rng.random());
        truncated_normal::draw(self.kernels[i].mean, self.kernels[i].deviation, rng)
    }

    /// ln of the density at x in [0, 1].
    pub fn ln_density(&self, x: f64) -> f64 {
        let density = |k: &Kernel| {
            k.weight * truncated_normal::ln_density(x, k.mean, k.deviation, k.mass).exp()
        };
        self.kernels.iter().map(density).sum::<f64>().ln()
    }
}

/// Probabilities of categories.
#[derive(Debug, Clone)]
pub struct Choice {
    probabilities: Vec<f64>,
}

impl Choice {
    /// One kernel per point, the oldest first: 1 for its own category and 1/(n + 1) for each.
    pub fn fit(points: &[usize], choices: usize) -> Self {
        let n = points.len();
        let weights = weights(n);
        let total: f64 = weights.iter().sum();
        let spread = 1.0 / (n + 1) as f64;
        let norm = 1.0 + choices as f64 * spread;
        let mut probabilities = vec![weights[n] / total / choices as f64; choices];
        for (w, &point) in weights.iter().zip(points) {
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
        let at = |i: i32| real.ln_density((f64::from(i) + 0.5) / f64::from(n)).exp();
        let total: f64 = (0..n).map(|i| at(i) / f64::from(n)).sum();
        assert!((total - 1.0).abs() < 1e-7, "{total}");
        let choice = Choice::fit(&[0, 2, 2], 4);
        let total: f64 = (0..4).map(|c| choice.ln_density(c).exp()).sum();
        assert!((total - 1.0).abs() < 1e-14);
        // Kernels of weight ¼ and spread ¼ of norm 2: own 5/8, others 1/8, prior 1/4.
        assert!((choice.ln_density(2).exp() - (0.625 * 2.0 + 0.125 + 0.25) / 4.0).abs() < 1e-14);
    }

    #[test]
    fn kernels_are_as_wide_as_their_larger_gap() {
        let real = Real::fit(&[0.1, 0.9, 0.2]);
        let deviations: Vec<f64> = real.kernels.iter().map(|k| k.deviation).collect();
        // Sorted: 0.1, 0.2, the prior at 0.5, 0.9; the first width is raised to 1/5.
        let expected = [0.2, 0.4, 0.3, 1.0];
        assert!(deviations.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-15));
    }

    #[test]
    fn draws_fall_where_the_density_is() {
        let (real, mut rng) = (Real::fit(&[0.2; 40]), ChaCha12Rng::seed_from_u64(1));
        let near = (0..1000).filter(|_| (real.draw(&mut rng) - 0.2).abs() < 0.1).count();
        assert!(near > 900, "{near}");
        let choice = Choice::fit(&[1; 40], 3);
        assert!((0..1000).filter(|_| choice.draw(&mut rng) == 1).count() > 900);
    }
}
