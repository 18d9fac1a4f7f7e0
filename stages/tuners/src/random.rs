//! Random search, uniform in a space \[Bergstra2012\]. Knows no model.

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;

use crate::tuner::{Fidelity, Suggestion, Trial, Tuner};

/// Random search.
#[derive(Debug, Clone)]
pub struct Random {
    space: Space,
    asked: u64,
}

impl Random {
    /// Uniform sampling of a space.
    pub fn new(space: impl Into<Space>) -> Self {
        Self { space: space.into(), asked: 0 }
    }
}

impl Tuner for Random {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config: self.space.draw(rng), fidelity: Fidelity::FULL })
    }

    /// Random search learns nothing.
    fn tell(&mut self, _trial: Trial) {}
}
