//! Grid search: a full factorial, ends included.

use numerics::space::{Domain, Space};
use rand_chacha::ChaCha12Rng;

use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Grid search over a space; the last parameter varies fastest.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The values of each parameter.
    values: Vec<Vec<f64>>,
    /// Position on the grid, one per parameter; `None` once all were asked.
    position: Option<Vec<usize>>,
    asked: u64,
}

impl Grid {
    /// A grid of `points` equally spaced values per numeric parameter (all values if a parameter has fewer
    /// whole numbers; fewer where neighbours on a logarithmic scale round to the same one), and all choices of a category.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, grid::Grid};
    ///
    /// // Five values of each parameter: 25 configurations, the centre among them.
    /// let mut tuner = Grid::new(Bounds::cube(2, 1.0)?, 5)?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 25, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value == 0.0));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two points.
    pub fn new(space: impl Into<Space>, points: usize) -> Result<Self, Error> {
        if points < 2 {
            return Err(Error::Setting {
                key: "points",
                value: points.to_string(),
                expected: "at least 2",
            });
        }
        let values: Vec<_> = space.into().domains().map(|d| values(d, points)).collect();
        let position = Some(vec![0; values.len()]);
        Ok(Self { values, position, asked: 0 })
    }
}

/// The grid's values of one parameter.
fn values(domain: Domain, points: usize) -> Vec<f64> {
    match domain {
        Domain::Float { .. } => {
            (0..points).map(|i| domain.from_unit(i as f64 / (points - 1) as f64)).collect()
        }
        Domain::Int { low, high, log: true } if high.abs_diff(low) >= points as u64 => {
            let (from, to) = ((low as f64).ln(), (high as f64).ln());
            let value = |i| (from + (to - from) * (i as f64 / (points - 1) as f64)).exp().round();
            let mut values: Vec<f64> = (0..points).map(value).collect();
            values.dedup();
            values
        }
        Domain::Int { low, high, .. } => {
            let (last, steps) = (i128::from(high) - i128::from(low), points as i128 - 1);
            let steps = steps.min(last);
            // Rounded to the nearest in whole numbers, halves up.
            let value = |i: i128| i128::from(low) + (2 * i * last + steps) / (2 * steps);
            (0..=steps).map(|i| value(i) as f64).collect()
        }
        Domain::Categorical { choices } => (0..choices).map(|c| c as f64).collect(),
    }
}

impl Tuner for Grid {
    fn ask(&mut self, _rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let position = self.position.as_mut()?;
        let config = position.iter().zip(&self.values).map(|(&i, v)| v[i]).collect();
        // Counts up in mixed radix; an overflow of the first digit ends the grid.
        let carried = position.iter_mut().zip(&self.values).rev().all(|(digit, values)| {
            *digit = (*digit + 1) % values.len();
            *digit == 0
        });
        if carried {
            self.position = None;
        }
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    /// A grid does not depend on results.
    fn tell(&mut self, _trial: Trial) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_spread_and_never_repeated() {
        assert_eq!(values(Domain::Int { low: -2, high: 1, log: false }, 9), [-2.0, -1.0, 0.0, 1.0]);
        assert_eq!(values(Domain::Int { low: 0, high: 10, log: false }, 4), [0.0, 3.0, 7.0, 10.0]);
        assert_eq!(values(Domain::Categorical { choices: 3 }, 2), [0.0, 1.0, 2.0]);
        let log = values(Domain::Float { low: 0.01, high: 100.0, log: true }, 3);
        assert!((log[1] - 1.0).abs() < 1e-12 && log[2] == 100.0);
        assert_eq!(
            values(Domain::Int { low: 1, high: 1000, log: true }, 4),
            [1.0, 10.0, 100.0, 1000.0]
        );
        // 2^(i/4): 1, 1.19, 1.41, 1.68, 2, 2.38, …
        let log = values(Domain::Int { low: 1, high: 8, log: true }, 13);
        assert_eq!(log, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let log = values(Domain::Int { low: 1, high: 16, log: true }, 9);
        assert_eq!(log, [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0]);
    }
}
