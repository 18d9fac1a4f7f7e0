//! The source of all randomness: one ChaCha stream per (root seed, label, replicate). There is no global generator;
//! the engine gives each stage its seed, which is its only source of randomness.

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Fields};

/// The seed of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(Digest);

impl Seed {
    /// The seed for `replicate` of the stages that share `label`, under the run's `root` seed. Two stages with the
    /// same three values see the same random numbers, so that methods are compared on the same split.
    ///
    /// ```
    /// use pipeline::seed::Seed;
    /// use rand::Rng as _;
    ///
    /// let seed = Seed::new(1, "split", 3);
    /// let first = seed.rng("rows").next_u64();
    /// assert_eq!(first, Seed::new(1, "split", 3).rng("rows").next_u64());
    /// assert_ne!(first, seed.rng("start").next_u64(), "each purpose has its own");
    /// assert_ne!(first, Seed::new(2, "split", 3).rng("rows").next_u64());
    /// ```
    #[must_use]
    pub fn new(root: u64, label: &str, replicate: u64) -> Self {
        let mut fields = Fields::default();
        fields.field(b"retune seed v1").field(&root.to_le_bytes());
        fields.field(label.as_bytes()).field(&replicate.to_le_bytes());
        Self(fields.finish())
    }

    /// An independent generator for one `purpose` within the stage.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> ChaCha12Rng {
        let mut fields = Fields::default();
        fields.field(self.0.bytes()).field(purpose.as_bytes());
        ChaCha12Rng::from_seed(*fields.finish().bytes())
    }

    /// The digest that enters a stage's key.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_repeat_and_differ() {
        let first = |seed: Seed, purpose| seed.rng(purpose).next_u64();
        let seed = Seed::new(1, "split", 0);
        assert_eq!(first(seed, "a"), first(Seed::new(1, "split", 0), "a"));
        let others = [
            first(seed, "b"),
            first(Seed::new(2, "split", 0), "a"),
            first(Seed::new(1, "start", 0), "a"),
            first(Seed::new(1, "split", 1), "a"),
        ];
        assert!(others.iter().all(|&other| other != first(seed, "a")));
    }
}
