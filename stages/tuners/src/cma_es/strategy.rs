//! Weights and rates of CMA-ES \[Hansen2016, arXiv 1604.00772, table 1\], and of its variant with a diagonal
//! covariance \[Ros2008\].

/// Added where the paper divides by what may vanish.
pub(super) const TINY: f64 = 1e-8;

/// What a population size and a number of dimensions decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Strategy {
    /// n, the number of dimensions.
    pub dimensions: usize,
    /// λ, the configurations of a generation.
    pub population: usize,
    /// μ, how many of them the mean moves to.
    pub parents: usize,
    /// w, best first: λ of them, the later ones negative; with a diagonal covariance the μ positive ones.
    pub weights: Vec<f64>,
    /// `μ_eff`, the variance effective selection mass.
    pub mass: f64,
    /// c₁, the rate of the rank-one update.
    pub rank_one: f64,
    /// `c_μ`, the rate of the rank-μ update.
    pub rank_mu: f64,
    /// `c_c`, the rate of the evolution path of the covariance.
    pub path_covariance: f64,
    /// `c_σ`, the rate of the evolution path of the step size.
    pub path_step: f64,
    /// `d_σ`, the damping of the step size.
    pub damping: f64,
    /// The expected length of a standard normal vector.
    pub expected_norm: f64,
}

impl Strategy {
    /// The default population: 4 + ⌊3 ln n⌋.
    #[must_use]
    pub fn default_population(dimensions: usize) -> usize {
        4 + (3.0 * (dimensions as f64).ln()).floor() as usize
    }

    /// Of a full covariance, with negative weights (active CMA), eqs. (49) to (58).
    /// `population` is at least 2, `dimensions` at least 1.
    #[must_use]
    pub fn full(dimensions: usize, population: usize) -> Self {
        let n = dimensions as f64;
        let parents = population / 2;
        let raw: Vec<f64> = (1..=population)
            .map(|i| (f64::midpoint(population as f64, 1.0)).ln() - (i as f64).ln())
            .collect();
        let (mass, mass_rest) = (mass(&raw[..parents]), mass(&raw[parents..]));
        let rank_one = 2.0 / ((n + 1.3).powi(2) + mass);
        let rank_mu = 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0).powi(2) + mass);
        let rank_mu = rank_mu.min(1.0 - rank_one - TINY);
        let negative = (1.0 + rank_one / rank_mu)
            .min(1.0 + 2.0 * mass_rest / (mass + 2.0))
            .min((1.0 - rank_one - rank_mu) / (n * rank_mu));
        let positive_sum: f64 = raw.iter().filter(|w| **w >= 0.0).sum();
        let negative_sum: f64 = raw.iter().filter(|w| **w < 0.0).map(|w| w.abs()).sum();
        let scaled = |w: f64| if w >= 0.0 { w / positive_sum } else { w * negative / negative_sum };
        Self {
            weights: raw.iter().map(|w| scaled(*w)).collect(),
            rank_one,
            rank_mu,
            path_covariance: (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n),
            ..Self::common(dimensions, population, mass, (mass + 2.0) / (n + mass + 5.0))
        }
    }

    /// Of a diagonal covariance, which learns faster \[Ros2008\], without negative weights.
    /// `population` is at least 2, `dimensions` at least 1.
    #[must_use]
    pub fn diagonal(dimensions: usize, population: usize) -> Self {
        let n = dimensions as f64;
        let parents = population / 2;
        let raw: Vec<f64> =
            (1..=parents).map(|i| (parents as f64 + 1.0).ln() - (i as f64).ln()).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / sum).collect();
        let mass = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let rank_mu = (n + 2.0) / 3.0
            * (2.0 / mass / (n + std::f64::consts::SQRT_2).powi(2)
                + (1.0 - 1.0 / mass) * ((2.0 * mass - 1.0) / ((n + 2.0).powi(2) + mass)).min(1.0));
        Self {
            weights,
            rank_one: 2.0 / ((n + 1.3).powi(2) + mass),
            rank_mu,
            path_covariance: 4.0 / (n + 4.0),
            ..Self::common(dimensions, population, mass, (mass + 2.0) / (n + mass + 3.0))
        }
    }

    fn common(dimensions: usize, population: usize, mass: f64, path_step: f64) -> Self {
        let n = dimensions as f64;
        Self {
            dimensions,
            population,
            parents: population / 2,
            weights: Vec::new(),
            mass,
            rank_one: 0.0,
            rank_mu: 0.0,
            path_covariance: 0.0,
            path_step,
            damping: 1.0 + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + path_step,
            expected_norm: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

/// (Σ w)² / Σ w².
fn mass(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    sum * sum / weights.iter().map(|w| w * w).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_weights_have_sum_one_and_keep_the_covariance_positive() {
        for dimensions in 1..30 {
            for population in [2, 3, 4, 5, 10, 100] {
                let full = Strategy::full(dimensions, population);
                let sum =
                    |sign: f64| -> f64 { full.weights.iter().map(|w| (sign * w).max(0.0)).sum() };
                assert!((sum(1.0) - 1.0).abs() < 1e-14, "{dimensions}, {population}");
                // [Hansen2016] eq. (53): the covariance cannot lose its definiteness.
                let left = 1.0 - full.rank_one - full.rank_mu;
                assert!(left > 0.0 && full.rank_mu * sum(-1.0) * dimensions as f64 <= left + 1e-12);
                let diagonal = Strategy::diagonal(dimensions, population);
                assert!((diagonal.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                assert!(diagonal.mass >= 1.0 - 1e-12 && diagonal.mass <= population as f64);
            }
        }
    }
}
