//! Distributions around a configuration, of each parameter by itself.

use models::density::truncated_normal;
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

/// A distribution around a configuration: of a number, normal and truncated to its range; of a category, itself with a
/// given probability and the others with equal shares of the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) space: &'a Space,
    /// The configuration.
    pub(super) centre: &'a [f64],
    /// Standard deviation of a number, as a share of its range.
    pub(super) deviation: f64,
    /// Probability of the centre's category.
    pub(super) kept: f64,
}

impl Around<'_> {
    /// A value of one parameter.
    fn value(&self, domain: Domain, centre: f64, rng: &mut ChaCha12Rng) -> f64 {
        match domain {
            Domain::Categorical { choices: 1 } => centre,
            Domain::Categorical { choices } => {
                if rng.random::<f64>() < self.kept {
                    return centre;
                }
                let other = rng.random_range(0..choices - 1) as f64;
                if other < centre { other } else { other + 1.0 }
            }
            Domain::Float { .. } | Domain::Int { .. } => {
                let unit = domain.to_unit(centre);
                domain.from_unit(truncated_normal::draw(unit, self.deviation, rng))
            }
        }
    }

    /// A configuration.
    pub(super) fn draw(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let pairs = self.space.domains().zip(self.centre);
        pairs.map(|(domain, &centre)| self.value(domain, centre, rng)).collect()
    }

    /// The centre with each parameter drawn anew with probability `rate`.
    pub(super) fn mutant(&self, rate: f64, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let pairs = self.space.domains().zip(self.centre);
        let mutated = |(domain, &centre): (Domain, &f64)| {
            if rng.random::<f64>() < rate { self.value(domain, centre, rng) } else { centre }
        };
        pairs.map(mutated).collect()
    }

    /// The density of a configuration, on the unit scale of numbers.
    pub(super) fn density(&self, config: &[f64]) -> f64 {
        let each = self.space.domains().zip(self.centre).zip(config);
        let ln = |((domain, &centre), &value): ((Domain, &f64), &f64)| match domain {
            Domain::Categorical { choices: 1 } => 0.0,
            Domain::Categorical { .. } if value == centre => self.kept.ln(),
            Domain::Categorical { choices } => ((1.0 - self.kept) / (choices - 1) as f64).ln(),
            Domain::Float { .. } | Domain::Int { .. } => {
                let (x, mean) = (domain.to_unit(value), domain.to_unit(centre));
                let mass = truncated_normal::mass(mean, self.deviation);
                truncated_normal::ln_density(x, mean, self.deviation, mass)
            }
        };
        each.map(ln).sum::<f64>().exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Parameter;
    use rand_chacha::rand_core::SeedableRng as _;

    fn space() -> Space {
        let parameter = |name: &str, domain| Parameter { name: name.to_owned(), domain };
        Space::new(vec![
            parameter("shift", Domain::Float { low: -1.0, high: 3.0, log: false }),
            parameter("kind", Domain::Categorical { choices: 4 }),
        ])
        .unwrap()
    }

    /// The average over uniform configurations of 1 is the average over draws of 1/density, and the same holds for any
    /// function.
    #[test]
    fn draws_follow_the_density() {
        let (space, mut rng) = (space(), ChaCha12Rng::seed_from_u64(1));
        let around = Around { space: &space, centre: &[2.5, 1.0], deviation: 0.4, kept: 0.75 };
        let n = 40_000;
        let mut sums = [0.0; 3];
        for _ in 0..n {
            let config = around.draw(&mut rng);
            assert!(space.contains(&config));
            // Categories have the weight ¼ in a uniform configuration.
            let weight = 0.25 / around.density(&config);
            let unit = space.to_unit(&config)[0];
            for (sum, value) in sums.iter_mut().zip([1.0, unit, config[1]]) {
                *sum += weight * value / f64::from(n);
            }
        }
        for (sum, expected) in sums.into_iter().zip([1.0, 0.5, 1.5]) {
            assert!((sum - expected).abs() < 0.04 * expected, "{sums:?}");
        }
    }

    #[test]
    fn mutations_change_some_parameters_and_never_to_the_same_category() {
        let (space, mut rng) = (space(), ChaCha12Rng::seed_from_u64(2));
        let around = Around { space: &space, centre: &[0.5, 3.0], deviation: 0.25, kept: 0.0 };
        let changed: Vec<[bool; 2]> = (0..2000)
            .map(|_| {
                let mutant = around.mutant(0.5, &mut rng);
                assert!(space.contains(&mutant));
                [mutant[0] != 0.5, mutant[1] != 3.0]
            })
            .collect();
        for i in 0..2 {
            let share = changed.iter().filter(|c| c[i]).count() as f64 / 2000.0;
            assert!((share - 0.5).abs() < 0.06, "{share}");
        }
        let all = around.mutant(1.0, &mut rng);
        assert!(all[0] != 0.5 && all[1] != 3.0, "{all:?}");
    }
}
