//! Cutout, \[DeVries2017\]: sets squares in standardised images to zero, which is the mean colour.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// Maximum number of squares in one image.
pub const MOST_HOLES: usize = 4;

/// Squares to cut out of one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cutout {
    /// How many, up to [`MOST_HOLES`]. They may overlap.
    pub holes: usize,
    /// Their side in pixels. A square reaches over the edge where its centre is near it.
    pub length: usize,
}

/// Positions of the squares of one image, for the maximum number of squares: row and column of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centres([[usize; 2]; MOST_HOLES]);

impl Centres {
    /// Random pixels of an image of this side, all equally likely.
    pub fn draw(side: usize, rng: &mut ChaCha12Rng) -> Self {
        Self(std::array::from_fn(|_| std::array::from_fn(|_| rng.random_range(0..side))))
    }
}

impl Cutout {
    /// Sets the squares to 0 in every plane of an image of this side.
    pub(super) fn apply(&self, centres: &Centres, side: usize, image: &mut [f32]) {
        // An even square has no middle pixel: the centre is the first of its second half. An odd one is
        // placed as the public code rounds the halves.
        let (before, after) = (self.length.div_ceil(2), self.length / 2);
        let span = |at: usize| at.saturating_sub(before)..(at + after).min(side);
        for &[row, column] in centres.0.iter().take(self.holes) {
            for plane in image.chunks_exact_mut(side * side) {
                for line in plane.chunks_exact_mut(side).take(span(row).end).skip(span(row).start) {
                    line[span(column)].fill(0.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// The pixels cut out of an image of two planes, which must be the same in both.
    fn cut(cutout: Cutout, centres: [[usize; 2]; MOST_HOLES], side: usize) -> Vec<bool> {
        let mut image = vec![1.0; 2 * side * side];
        cutout.apply(&Centres(centres), side, &mut image);
        let (first, second) = image.split_at(side * side);
        assert_eq!(first, second);
        first.iter().map(|&value| value == 0.0).collect()
    }

    #[test]
    fn squares_are_cut_where_real_numbers_say() {
        // The rows from ⌊y − l/2⌋ to below ⌊y + l/2⌋, both clipped to the image, and the columns likewise.
        let side = 7_usize;
        let span = |at: usize, length: usize| {
            let end = |sign: f64| {
                let real = at as f64 + sign * length as f64 / 2.0;
                real.clamp(0.0, side as f64).floor() as usize
            };
            end(-1.0)..end(1.0)
        };
        for length in 0..=2 * side + 1 {
            for at in 0..side * side {
                let (row, column) = (at / side, at % side);
                let holes = cut(Cutout { holes: 1, length }, [[row, column]; MOST_HOLES], side);
                for (i, hole) in holes.into_iter().enumerate() {
                    let (rows, columns) = (span(row, length), span(column, length));
                    let expected = rows.contains(&(i / side)) && columns.contains(&(i % side));
                    assert_eq!(hole, expected, "{length} at {row}, {column}: pixel {i}");
                }
            }
        }
        let area = |length| {
            let holes = cut(Cutout { holes: 1, length }, [[3, 3]; MOST_HOLES], side);
            holes.into_iter().filter(|&hole| hole).count()
        };
        assert_eq!([0, 1, 2, 3, 5, 6].map(area), [0, 1, 4, 9, 25, 36]);
    }

    #[test]
    fn several_squares_are_their_union() {
        let centres = [[0, 0], [2, 2], [7, 1], [4, 4]];
        let one = |at: usize| cut(Cutout { holes: 1, length: 4 }, [centres[at]; MOST_HOLES], 8);
        let mut union = vec![false; 64];
        for holes in 0..=MOST_HOLES {
            assert_eq!(cut(Cutout { holes, length: 4 }, centres, 8), union, "{holes}");
            if holes < MOST_HOLES {
                union.iter_mut().zip(one(holes)).for_each(|(all, hole)| *all |= hole);
            }
        }
    }

    #[test]
    fn centres_are_all_pixels() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut seen = [[0; 9]; MOST_HOLES];
        for _ in 0..500 {
            let Centres(centres) = Centres::draw(3, &mut rng);
            for (seen, [row, column]) in seen.iter_mut().zip(centres) {
                seen[3 * row + column] += 1;
            }
        }
        // 56 expected, with a standard deviation of 7.
        assert!(seen.as_flattened().iter().all(|count| (20..92).contains(count)), "{seen:?}");
    }
}
