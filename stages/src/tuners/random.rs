//! Random search, uniform in a box \[Bergstra2012\]. Knows no model.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::tuner::{Bounds, Suggestion, Trial, Tuner};

/// Random search.
#[derive(Debug, Clone)]
pub struct Random {
    bounds: Bounds,
    asked: u64,
}

impl Random {
    /// Uniform sampling of a box.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, asked: 0 }
    }
}

impl Tuner for Random {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let unit: Vec<f64> = (0..self.bounds.dimensions()).map(|_| rng.random()).collect();
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config: self.bounds.from_unit(&unit), fidelity: 1.0 })
    }

    /// Random search learns nothing.
    fn tell(&mut self, _trial: Trial) {}
}
