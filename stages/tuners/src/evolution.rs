//! The steps of differential evolution in the unit cube \[Storn1997\].

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::tuner::{Error, failed_last};

/// Constants of rand/1/bin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Evolution {
    /// F, the factor of the difference.
    pub mutation: f64,
    /// CR, the probability with which a coordinate is the mutant's.
    pub crossover: f64,
}

impl Default for Evolution {
    /// The defaults of \[Awad2021\].
    fn default() -> Self {
        Self { mutation: 0.5, crossover: 0.5 }
    }
}

impl Evolution {
    /// The constants, after checking their ranges.
    ///
    /// # Errors
    /// If a constant is out of range.
    pub fn check(self) -> Result<Self, Error> {
        let refuse = |key, value: f64, expected| {
            Err(Error::Setting { key, value: value.to_string(), expected })
        };
        if !(self.mutation.is_finite() && self.mutation > 0.0) {
            return refuse("mutation", self.mutation, "a finite number > 0");
        }
        if !(0.0..=1.0).contains(&self.crossover) {
            return refuse("crossover", self.crossover, "0 to 1");
        }
        Ok(self)
    }

    /// r₁ + F (r₂ − r₃) of three different members of `pool` other than `target` (the first equal to it);
    /// missing members are replaced by uniform points. The result may lie outside the cube.
    pub fn mutant(self, pool: &[&[f64]], target: &[f64], rng: &mut ChaCha12Rng) -> Vec<f64> {
        let own = if pool.len() > 1 { pool.iter().position(|p| *p == target) } else { None };
        let others = pool.iter().enumerate().filter(|(i, _)| Some(*i) != own);
        let mut others: Vec<Vec<f64>> = others.map(|(_, p)| p.to_vec()).collect();
        while others.len() < 3 {
            others.push(target.iter().map(|_| rng.random()).collect());
        }
        let mut pick = || others.swap_remove(rng.random_range(0..others.len()));
        let (a, b, c) = (pick(), pick(), pick());
        a.iter().zip(b.iter().zip(&c)).map(|(a, (b, c))| a + self.mutation * (b - c)).collect()
    }

    /// Binomial crossover of target and mutant, with at least one coordinate from the mutant; coordinates
    /// outside the cube are redrawn.
    pub fn child(self, target: &[f64], mutant: &[f64], rng: &mut ChaCha12Rng) -> Vec<f64> {
        let mut crossed: Vec<bool> =
            target.iter().map(|_| rng.random::<f64>() < self.crossover).collect();
        if !crossed.contains(&true) {
            let j = rng.random_range(0..crossed.len());
            crossed[j] = true;
        }
        let mut child: Vec<f64> = crossed
            .iter()
            .zip(target.iter().zip(mutant))
            .map(|(&crossed, (&t, &m))| if crossed { m } else { t })
            .collect();
        for v in &mut child {
            if !(0.0..=1.0).contains(v) {
                *v = rng.random();
            }
        }
        child
    }
}

/// A member of a population.
#[derive(Debug, Clone)]
pub struct Member {
    /// The point in the unit cube.
    pub unit: Vec<f64>,
    /// The loss, and the number of the suggestion that found it; `None` before the first evaluation.
    found: Option<(f64, u64)>,
}

impl Member {
    /// A member that was not evaluated.
    pub fn new(unit: Vec<f64>) -> Self {
        Self { unit, found: None }
    }

    /// Its loss; +∞ before its evaluation.
    pub fn loss(&self) -> f64 {
        self.found.map_or(f64::INFINITY, |(loss, _)| loss)
    }

    /// Whether it was evaluated.
    pub fn evaluated(&self) -> bool {
        self.found.is_some()
    }

    /// Selection: a child that is not worse replaces the member; of equals the later suggestion wins,
    /// whatever the order of telling. A failed evaluation counts as +∞.
    pub fn challenge(&mut self, unit: Vec<f64>, loss: f64, id: u64) {
        let loss = failed_last(loss);
        let wins = self.found.is_none_or(|(own, by)| loss < own || (loss == own && id > by));
        if wins {
            *self = Self { unit, found: Some((loss, id)) };
        }
    }
}

/// The members by loss, best first; of equals the first.
pub fn ranked(population: &[Member]) -> Vec<&Member> {
    let mut order: Vec<&Member> = population.iter().collect();
    order.sort_by(|a, b| a.loss().total_cmp(&b.loss()));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn a_mutant_is_made_of_three_others() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        // Powers of 100 make the three sources readable from the sum.
        let pool: Vec<Vec<f64>> = (0..5).map(|i| vec![100_f64.powi(i)]).collect();
        let views: Vec<&[f64]> = pool.iter().map(Vec::as_slice).collect();
        let steps = Evolution { mutation: 0.5, crossover: 0.5 };
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2000 {
            seen.insert(steps.mutant(&views, &[100.0], &mut rng)[0].to_bits());
        }
        let mut expected = std::collections::BTreeSet::new();
        let others = [0_usize, 2, 3, 4];
        for a in others {
            for b in others.into_iter().filter(|b| *b != a) {
                for c in others.into_iter().filter(|c| *c != a && *c != b) {
                    let v = pool[a][0] + 0.5 * (pool[b][0] - pool[c][0]);
                    expected.insert(v.to_bits());
                }
            }
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_child_has_a_coordinate_of_the_mutant_and_lies_inside() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        for crossover in [0.0, 0.3, 1.0] {
            let steps = Evolution { mutation: 0.5, crossover };
            let mut taken = 0;
            for _ in 0..1000 {
                let child = steps.child(&[0.25; 4], &[0.75, 0.75, -1.0, 2.0], &mut rng);
                let moved = child.iter().filter(|v| **v != 0.25).count();
                assert!(moved > 0 && child.iter().all(|v| (0.0..=1.0).contains(v)));
                taken += moved;
            }
            // Of 4 coordinates: one is forced; 4·0.3 + 0.7⁴ with standard deviation 0.03; all.
            let mean = f64::from(taken as u32) / 1000.0;
            let expected = 4.0 * crossover + (1.0 - crossover).powi(4);
            assert!((mean - expected).abs() < 0.15, "{crossover}: {mean}");
        }
    }

    #[test]
    fn selection_does_not_depend_on_the_order_of_telling() {
        let told = [(0.5, 4, 1.0), (0.6, 5, 1.0), (0.7, 6, f64::NAN)];
        let run = |order: [usize; 3]| {
            let mut member = Member::new(vec![0.0]);
            for &i in &order {
                member.challenge(vec![told[i].0], told[i].2, told[i].1);
            }
            (member.unit[0], member.loss())
        };
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            assert_eq!(run(order), (0.6, 1.0));
        }
    }
}
