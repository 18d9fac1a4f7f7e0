//! Hyperopt's adaptive Parzen estimator: normal kernels, including the prior's, whose widths are the gaps to
//! their neighbours. The mixture is truncated to a range, not each kernel.

use crate::density::{
    mixture::{ln_sum_exp, recency_weights},
    normal_mass,
};

/// The prior, and how long points are remembered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Weight, relative to that of a point.
    pub weight: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation, above 0: the largest of any kernel.
    pub deviation: f64,
    /// How many of the newest points count fully, while older ones count less; 0 if all count fully.
    pub remembered: usize,
}

/// A mixture of normal distributions, ordered by their means.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptiveParzen {
    /// Weights (length n + 1); they sum to 1.
    pub weights: Vec<f64>,
    /// Means, ascending (length n + 1).
    pub means: Vec<f64>,
    /// Standard deviations (length n + 1).
    pub deviations: Vec<f64>,
    /// The index of the prior's kernel.
    pub prior: usize,
}

impl AdaptiveParzen {
    /// A kernel at each of `points`, the oldest first, and the prior's, which is placed left of points equal
    /// to its mean, but right of a single one. A kernel is as wide as the larger of its two gaps, the
    /// outermost ones as their only gap, that of a single point half the prior's width; and at least
    /// 1/min(100, n + 2) of the prior's width.
    ///
    /// ```
    /// use models::density::adaptive_parzen::{AdaptiveParzen, Prior};
    ///
    /// let prior = Prior { weight: 1.0, mean: 0.0, deviation: 2.0, remembered: 25 };
    /// let mixture = AdaptiveParzen::fit(&[-0.5, 0.75], prior);
    /// assert_eq!(mixture.means, [-0.5, 0.0, 0.75]);
    /// assert_eq!(mixture.deviations, [0.5, 2.0, 0.75]);
    /// assert!(mixture.ln_density(0.0) < mixture.ln_density_within(0.0, -1.0, 1.0));
    /// ```
    pub fn fit(points: &[f64], prior: Prior) -> Self {
        let n = points.len();
        let mut order: Vec<usize> = (0..n).collect();
        // The sum turns −0 into 0.
        order.sort_by(|&a, &b| (points[a] + 0.0).total_cmp(&(points[b] + 0.0)));
        let left = |x: f64| if n == 1 { x <= prior.mean } else { x < prior.mean };
        let at = order.iter().filter(|&&i| left(points[i])).count();
        let flat = if prior.remembered == 0 { n } else { prior.remembered };
        let ages = recency_weights(n, flat);
        let mut means: Vec<f64> = order.iter().map(|&i| points[i]).collect();
        let mut weights: Vec<f64> = order.iter().map(|&i| ages[i]).collect();
        means.insert(at, prior.mean);
        weights.insert(at, prior.weight);
        let total: f64 = weights.iter().sum();
        for w in &mut weights {
            *w /= total;
        }
        let least = prior.deviation / ((n + 2) as f64).min(100.0);
        let width = |i: usize| {
            let gap = match (i.checked_sub(1), means.get(i + 1)) {
                _ if i == at => return prior.deviation,
                _ if n == 1 => 0.5 * prior.deviation,
                (Some(l), Some(r)) => (means[i] - means[l]).max(r - means[i]),
                (None, Some(r)) => r - means[i],
                (Some(l), None) => means[i] - means[l],
                (None, None) => prior.deviation,
            };
            gap.max(least).min(prior.deviation)
        };
        let deviations = (0..=n).map(width).collect();
        Self { weights, means, deviations, prior: at }
    }

    fn ln_sum(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let kernels = self.means.iter().zip(&self.deviations).zip(&self.weights);
        let terms: Vec<f64> = kernels.map(|((&m, &s), w)| w.ln() + of(m, s)).collect();
        ln_sum_exp(&terms)
    }

    /// ln of the density at x.
    pub fn ln_density(&self, x: f64) -> f64 {
        self.ln_sum(|mean, deviation| {
            normal_mass::ln_density((x - mean) / deviation) - deviation.ln()
        })
    }

    /// ln of the probability of [low, high].
    pub fn ln_mass(&self, low: f64, high: f64) -> f64 {
        self.ln_sum(|mean, deviation| {
            normal_mass::ln_mass((low - mean) / deviation, (high - low) / deviation)
        })
    }

    /// ln of the density at x in [low, high], conditional on that interval.
    pub fn ln_density_within(&self, x: f64, low: f64, high: f64) -> f64 {
        self.ln_density(x) - self.ln_mass(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Prior = Prior { weight: 1.0, mean: 0.0, deviation: 2.0, remembered: 2 };

    #[test]
    fn the_prior_stands_left_of_equals_and_right_of_a_single_one() {
        let fit = |points: &[f64]| AdaptiveParzen::fit(points, PRIOR);
        assert_eq!(fit(&[]).deviations, [2.0]);
        assert_eq!((fit(&[0.0]).prior, fit(&[0.0]).deviations), (1, vec![1.0, 2.0]));
        let ties = fit(&[0.0, -0.0, -1.0]);
        assert_eq!((ties.prior, &*ties.deviations), (1, &[1.0, 2.0, 0.4, 0.4][..]));
    }

    #[test]
    fn old_points_count_less_wherever_they_stand() {
        // Ages 1/4, 1 and then the two remembered.
        let mixture = AdaptiveParzen::fit(&[0.9, -0.9, 0.5, -0.5], PRIOR);
        assert_eq!(mixture.means, [-0.9, -0.5, 0.0, 0.5, 0.9]);
        let scaled: Vec<f64> = mixture.weights.iter().map(|w| w * 4.25).collect();
        assert!(scaled.iter().zip([1.0, 1.0, 1.0, 1.0, 0.25]).all(|(a, b)| (a - b).abs() < 1e-14));
        let all = AdaptiveParzen::fit(&[0.9, -0.9, 0.5], Prior { remembered: 0, ..PRIOR });
        assert!(all.weights.iter().all(|w| (w - 0.25).abs() < 1e-15));
    }
}
