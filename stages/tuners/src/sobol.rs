//! Search along a scrambled Sobol sequence \[Sobol1967\], \[Owen1998\]: like random search it is blind to results,
//! but its points fill the space more evenly.

use numerics::space::Space;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::tuner::{Fidelity, Suggestion, Trial, Tuner};

/// Number of points of a sequence; further ones belong to a sequence that is scrambled otherwise.
pub(crate) const POINTS: usize = 1 << 16;
/// Number of dimensions of a sequence; further coordinates are random.
const DIMENSIONS: usize = 256;

/// A scrambled Sobol sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequence {
    scramble: u32,
}

impl Sequence {
    /// A sequence whose scrambling is drawn.
    pub(crate) fn draw(rng: &mut ChaCha12Rng) -> Self {
        Self { scramble: rng.random() }
    }

    /// Point `i`, from 0, of [0, 1)ⁿ for n `sides`.
    pub(crate) fn point(self, i: u64, sides: usize, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let scramble = self.scramble.wrapping_add((i / POINTS as u64) as u32);
        let i = (i % POINTS as u64) as u32;
        let coordinate = |j: usize| {
            if j < DIMENSIONS {
                f64::from(sobol_burley::sample(i, j as u32, scramble))
            } else {
                rng.random()
            }
        };
        (0..sides).map(coordinate).collect()
    }
}

/// Sobol search.
#[derive(Debug, Clone)]
pub struct Sobol {
    space: Space,
    asked: u64,
    /// Drawn at the first ask.
    sequence: Option<Sequence>,
}

impl Sobol {
    /// The points of a sequence, in a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, sobol::Sobol};
    ///
    /// let mut tuner = Sobol::new(Bounds::cube(2, 1.0)?);
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 100, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.1));
    /// # Ok::<(), numerics::space::Error>(())
    /// ```
    pub fn new(space: impl Into<Space>) -> Self {
        Self { space: space.into(), asked: 0, sequence: None }
    }
}

impl Tuner for Sobol {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let sequence = *self.sequence.get_or_insert_with(|| Sequence::draw(rng));
        let id = self.asked;
        self.asked += 1;
        let unit = sequence.point(id, self.space.dimensions(), rng);
        Some(Suggestion { id, config: self.space.from_unit(&unit), fidelity: Fidelity::FULL })
    }

    /// The sequence does not depend on results.
    fn tell(&mut self, _trial: Trial) {}
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use numerics::space::Bounds;
    use rand_chacha::rand_core::SeedableRng as _;

    fn points(count: u64, sides: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let sequence = Sequence::draw(&mut rng);
        (0..count).map(|i| sequence.point(i, sides, &mut rng)).collect()
    }

    /// The first two coordinates are a (0, m, 2)-net in base 2 \[Niederreiter1987\]: each box of 2⁻ᵃ × 2⁻ᵇ with
    /// a + b = m on the dyadic grid has exactly one of 2ᵐ points. Scrambling after Owen keeps that.
    #[test]
    fn every_elementary_box_has_one_point() {
        let m = 7_u32;
        for seed in 0..5 {
            let all = points(1 << m, 2, seed);
            for a in 0..=m {
                let cell = |x: f64, bits: u32| (x * f64::from(1_u32 << bits)) as u32;
                let boxes: BTreeSet<(u32, u32)> =
                    all.iter().map(|p| (cell(p[0], a), cell(p[1], m - a))).collect();
                assert_eq!(boxes.len(), 1 << m, "2^-{a} in the first coordinate, seed {seed}");
            }
        }
    }

    #[test]
    fn each_of_many_coordinates_is_stratified() {
        let all = points(64, 40, 9);
        for j in 0..40 {
            let strata: BTreeSet<u32> = all.iter().map(|p| (p[j] * 64.0) as u32).collect();
            assert_eq!(strata.len(), 64, "coordinate {j}");
        }
    }

    #[test]
    fn it_goes_on_where_the_sequence_ends() {
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let sequence = Sequence::draw(&mut rng);
        let [first, later] = [0, POINTS as u64].map(|i| sequence.point(i, 3, &mut rng));
        assert_ne!(first, later);
        let wide = Sobol::new(Bounds::cube(DIMENSIONS + 2, 1.0).unwrap()).ask(&mut rng).unwrap();
        assert_eq!(wide.config.len(), DIMENSIONS + 2);
        assert_ne!(wide.config[DIMENSIONS], wide.config[DIMENSIONS + 1]);
    }
}
