//! Grid search: a full factorial of equally spaced values, ends included. Knows no model.

use rand_chacha::ChaCha12Rng;

use crate::tuner::{Bounds, Error, Suggestion, Trial, Tuner};

/// Grid search over a box; the last dimension varies fastest.
#[derive(Debug, Clone)]
pub struct Grid {
    bounds: Bounds,
    points: usize,
    /// Position on the grid a dimension; `None` when all were asked.
    position: Option<Vec<usize>>,
    asked: u64,
}

impl Grid {
    /// A grid of `points` values a dimension.
    ///
    /// # Errors
    /// If there are fewer than two points.
    pub fn new(bounds: Bounds, points: usize) -> Result<Self, Error> {
        if points < 2 {
            return Err(Error::Setting {
                key: "points",
                value: points.to_string(),
                expected: "at least 2",
            });
        }
        let position = Some(vec![0; bounds.dimensions()]);
        Ok(Self { bounds, points, position, asked: 0 })
    }
}

impl Tuner for Grid {
    fn ask(&mut self, _rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let position = self.position.as_mut()?;
        let unit: Vec<f64> =
            position.iter().map(|&i| i as f64 / (self.points - 1) as f64).collect();
        // Count up in base `points`; running over the first digit ends the grid.
        let carried = position.iter_mut().rev().all(|digit| {
            *digit = (*digit + 1) % self.points;
            *digit == 0
        });
        if carried {
            self.position = None;
        }
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config: self.bounds.from_unit(&unit), fidelity: 1.0 })
    }

    /// A grid learns nothing.
    fn tell(&mut self, _trial: Trial) {}
}
