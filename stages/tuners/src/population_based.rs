//! Population-based training \[Jaderberg2017\]: the weights and hyper-parameters with which each member of a
//! population continues after an interval.
//!
//! It uses truncation selection: a member of the worst group continues from the weights of a randomly drawn
//! member of the best group and explores that member's values: each value is redrawn with some probability,
//! and otherwise multiplied or divided by a factor. All other members continue unchanged.

use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::tuner::Error;

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PopulationBased {
    /// Trainings side by side.
    pub members: usize,
    /// Epochs between selections.
    pub interval: usize,
    /// The share of members that are the first, and of those that are the last; at least one each.
    pub share: f64,
    /// Probability that a value is drawn anew.
    pub resample: f64,
    /// The factor of those that are not.
    pub factor: f64,
}

/// The state with which a member continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Heir {
    /// The member whose weights it has.
    pub from: usize,
    /// The values of its hyper-parameters.
    pub values: Vec<f64>,
}

impl PopulationBased {
    /// Checks the settings.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), Error> {
        let Self { members, interval, share, resample, factor } = *self;
        for (key, value, fine, expected) in [
            ("members", members as f64, members > 1, "at least 2"),
            ("interval", interval as f64, interval > 0, "at least 1"),
            ("share", share, share > 0.0 && share <= 0.5, "in (0, 0.5]"),
            ("resample", resample, (0.0..=1.0).contains(&resample), "in [0, 1]"),
            ("factor", factor, factor.is_finite() && factor > 1.0, "above 1"),
        ] {
            if !fine {
                return Err(Error::Setting { key, value: value.to_string(), expected });
            }
        }
        Ok(())
    }

    /// The initial values of the members.
    pub fn start(&self, space: &Space, rng: &mut ChaCha12Rng) -> Vec<Vec<f64>> {
        (0..self.members).map(|_| space.draw(rng)).collect()
    }

    /// The state with which each member continues, given the values and losses of all. NaN counts as the
    /// largest loss; such a member is replaced, whether or not it is in the worst group, as long as the best
    /// group has a loss that is not NaN.
    pub fn next(
        &self,
        space: &Space,
        values: &[Vec<f64>],
        losses: &[f64],
        rng: &mut ChaCha12Rng,
    ) -> Vec<Heir> {
        let mut order: Vec<usize> = (0..losses.len()).collect();
        let loss = |i: usize| if losses[i].is_nan() { f64::INFINITY } else { losses[i] };
        order.sort_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        let count = ((self.share * losses.len() as f64) as usize).max(1);
        let fine = |i: &&usize| loss(**i).is_finite();
        let first: Vec<usize> = order[..count].iter().filter(fine).copied().collect();
        let mut heirs: Vec<Heir> = values
            .iter()
            .enumerate()
            .map(|(from, values)| Heir { from, values: values.clone() })
            .collect();
        for (place, &member) in order.iter().enumerate() {
            let last = place >= losses.len() - count || !loss(member).is_finite();
            if first.is_empty() || first.contains(&member) || !last {
                continue;
            }
            let from = first[rng.random_range(0..first.len())];
            heirs[member] = Heir { from, values: self.explore(space, &values[from], rng) };
        }
        heirs
    }

    fn explore(&self, space: &Space, values: &[f64], rng: &mut ChaCha12Rng) -> Vec<f64> {
        let fresh = space.draw(rng);
        let moved = |((domain, &value), fresh): ((Domain, &f64), f64)| {
            // Both are always drawn, so that no value depends on the draws of another.
            let (anew, up) = (rng.random::<f64>() < self.resample, rng.random::<bool>());
            if anew {
                return fresh;
            }
            let moved = if up { value * self.factor } else { value / self.factor };
            match domain {
                Domain::Float { low, high, .. } => moved.clamp(low, high),
                Domain::Int { low, high, .. } => moved.round().clamp(low as f64, high as f64),
                Domain::Categorical { .. } => value,
            }
        };
        space.domains().zip(values).zip(fresh).map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use numerics::space::Parameter;

    const SETTINGS: PopulationBased =
        PopulationBased { members: 10, interval: 1, share: 0.2, resample: 0.25, factor: 1.2 };

    fn space() -> Space {
        let parameter = |(name, domain): (&str, _)| Parameter { name: name.to_owned(), domain };
        let float = Domain::Float { low: 0.0, high: 0.9, log: false };
        let whole = Domain::Int { low: 0, high: 20, log: false };
        let choice = Domain::Categorical { choices: 3 };
        Space::new([("a", float), ("b", whole), ("c", choice)].map(parameter).to_vec()).unwrap()
    }

    #[test]
    fn the_last_go_on_from_the_first() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let values = SETTINGS.start(&space(), &mut rng);
        // 7 and 2 are the best, 0 and 5 the worst.
        let losses = [9.0, 3.0, 1.5, 4.0, 5.0, f64::NAN, 6.0, 1.0, 7.0, 8.0];
        let mut seen = [false; 2];
        for _ in 0..50 {
            let heirs = SETTINGS.next(&space(), &values, &losses, &mut rng);
            for (i, heir) in heirs.iter().enumerate() {
                if [0, 5].contains(&i) {
                    assert!([2, 7].contains(&heir.from));
                    seen[usize::from(heir.from == 2)] = true;
                } else {
                    assert_eq!((heir.from, &heir.values), (i, &values[i]));
                }
            }
        }
        assert_eq!(seen, [true; 2]);
    }

    #[test]
    fn values_are_explored_by_the_factor_or_drawn_anew() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let (space, from) = (space(), [0.5, 10.0, 2.0]);
        let all: Vec<_> = (0..4000).map(|_| SETTINGS.explore(&space, &from, &mut rng)).collect();
        assert!(all.iter().all(|values| space.contains(values)));
        let share = |near: &dyn Fn(&[f64]) -> bool| {
            all.iter().filter(|v| near(v)).count() as f64 / all.len() as f64
        };
        // A quarter is redrawn; of the others, half are multiplied and half divided. The standard deviation
        // is 0.0077.
        for value in [0.6, 0.5 / 1.2] {
            let found = share(&|v| (v[0] - value).abs() < 1e-12);
            assert!((found - 0.375).abs() < 0.04, "{value}: {found}");
        }
        // 12 and 8 or, if redrawn, one of 21 numbers.
        let found = share(&|v| v[1] == 12.0);
        assert!((found - 0.375 - 0.25 / 21.0).abs() < 0.04, "{found}");
        // A choice is kept or redrawn from three.
        let found = share(&|v| v[2] == 2.0);
        assert!((found - 0.75 - 0.25 / 3.0).abs() < 0.04, "{found}");
        let end = SETTINGS.explore(&space, &[0.9, 20.0, 0.0], &mut rng);
        assert!(space.contains(&end));
    }

    #[test]
    fn who_diverged_ends_unless_all_did() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let settings = PopulationBased { members: 4, ..SETTINGS };
        let values = settings.start(&space(), &mut rng);
        let nan = f64::NAN;
        let heirs = settings.next(&space(), &values, &[nan, 1.0, nan, nan], &mut rng);
        assert_eq!(heirs.iter().map(|h| h.from).collect::<Vec<_>>(), [1; 4]);
        let heirs = settings.next(&space(), &values, &[nan; 4], &mut rng);
        assert_eq!(heirs.iter().map(|h| h.from).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn settings_are_checked() {
        assert!(SETTINGS.check().is_ok());
        for bad in [
            PopulationBased { members: 1, ..SETTINGS },
            PopulationBased { interval: 0, ..SETTINGS },
            PopulationBased { share: 0.6, ..SETTINGS },
            PopulationBased { share: f64::NAN, ..SETTINGS },
            PopulationBased { resample: f64::NAN, ..SETTINGS },
            PopulationBased { factor: 1.0, ..SETTINGS },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}
