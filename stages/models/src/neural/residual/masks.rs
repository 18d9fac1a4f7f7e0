//! Dropout masks of a residual network: a function of the training's key, the step, the block, the image's
//! place in the batch and the value's place in the image, so that every device can draw its own part of them.

use crate::neural::philox::philox_lanes;

/// Number of values of a uniform 16-bit number.
const LEVELS: f64 = 65536.0;

/// Number of values that one counter gives.
pub const VALUES: usize = 8;

/// A rate with the stream that it is applied to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Masks {
    /// Values whose random bits are below it are dropped.
    pub below: u16,
    /// The factor of those that are kept, which keeps the mean.
    pub kept: f32,
    /// Key of the stream.
    pub key: [u32; 2],
}

impl Masks {
    /// Masks for a rate in (0, 1), which is exact to 1/65536.
    pub fn new(rate: f64, key: [u32; 2]) -> Self {
        let below = (rate * LEVELS).round() as u16;
        let kept = (1.0 / (1.0 - f64::from(below) / LEVELS)) as f32;
        Self { below, kept, key }
    }

    /// The counter of eight values from value 8·`group` on, of one image of the batch, in one block and step.
    pub fn counter(group: usize, image: usize, block: usize, step: u32) -> [u32; 4] {
        [group as u32, image as u32, block as u32, step]
    }

    /// The factors of eight values from value 8·`group` on (in the order channel, row, column), for `L` images
    /// of the batch from `image` on: factor v of image l is at `[v][l]`.
    #[inline(always)]
    pub fn factors<const L: usize>(
        &self,
        group: usize,
        image: usize,
        block: usize,
        step: u32,
    ) -> [[f32; L]; VALUES] {
        let [group, image, block, step] = Self::counter(group, image, block, step);
        let images: [u32; L] = std::array::from_fn(|l| image + l as u32);
        let words = philox_lanes([[group; L], images, [block; L], [step; L]], self.key);
        let (below, kept) = (u32::from(self.below), self.kept);
        std::array::from_fn(|v| {
            words[v / 2].map(|word| {
                let bits = if v % 2 == 0 { word & 0xffff } else { word >> 16 };
                if bits < below { 0.0 } else { kept }
            })
        })
    }

    /// The factors of all `values` values of `images` images, image by image.
    pub fn draw(&self, values: usize, images: usize, block: usize, step: u32) -> Vec<f32> {
        let mut all = Vec::with_capacity(values * images);
        for image in 0..images {
            for first in (0..values).step_by(VALUES) {
                let factors = self.factors::<1>(first / VALUES, image, block, step);
                all.extend(factors.iter().take(values - first).map(|[factor]| *factor));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neural::philox::philox;

    #[test]
    fn masks_drop_at_their_rate_and_keep_the_mean() {
        for rate in [0.3, 0.05] {
            let masks = Masks::new(rate, [1, 2]);
            let drawn = masks.draw(1000, 100, 2, 9);
            let n = drawn.len() as f64;
            let dropped = drawn.iter().filter(|v| **v == 0.0).count() as f64 / n;
            // Five standard errors.
            assert!((dropped - rate).abs() < 5.0 * (rate * (1.0 - rate) / n).sqrt(), "{dropped}");
            let mean = drawn.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
            assert!((mean - (1.0 - dropped) / (1.0 - rate)).abs() < 1e-4);
            for other in [
                masks.draw(1000, 100, 3, 9),
                masks.draw(1000, 100, 2, 10),
                Masks::new(rate, [2, 1]).draw(1000, 100, 2, 9),
            ] {
                assert_ne!(drawn, other);
            }
        }
    }

    #[test]
    fn a_value_is_half_a_word_of_its_own_counter() {
        let masks = Masks::new(0.4, [5, 6]);
        let drawn = masks.draw(21, 7, 3, 11);
        let lanes = masks.factors::<4>(2, 2, 3, 11);
        for image in 0..7 {
            for value in 0..21 {
                let words = philox(Masks::counter(value / 8, image, 3, 11), [5, 6]);
                let bits = (words[value % 8 / 2] >> (16 * (value % 2))) as u16;
                let expected = if bits < masks.below { 0.0 } else { masks.kept };
                assert_eq!(drawn[image * 21 + value], expected);
                if (2..6).contains(&image) && value >= 16 {
                    assert_eq!(lanes[value - 16][image - 2], expected);
                }
            }
        }
    }
}
