//! Random search, uniform in a space \[Bergstra2012\].

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
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, random::Random};
    ///
    /// let mut tuner = Random::new(Bounds::cube(2, 1.0)?);
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 100, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), numerics::space::Error>(())
    /// ```
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

    /// Random search does not depend on results.
    fn tell(&mut self, _trial: Trial) {}
}
