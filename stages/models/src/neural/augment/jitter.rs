//! Changes the colours of a whole image at random, as torchvision's `ColorJitter` defines it: hue,
//! saturation, brightness and contrast in a random order, each by a number drawn from its range.
//!
//! DIFFERS: in single precision. The public code of \[MacKay2019\] does it with Pillow on images of
//! bytes, where each change cuts off fractions, the mean grey is a whole number, and a hue is one of
//! 256. On random pixels its results differ from these by up to 1.2 levels of 255 after saturation,
//! brightness or contrast, and by up to 13 (2 to 3 in the mean square) after hue. It also draws from
//! ranges shrunk by a thousandth, to stay within what torchvision accepts.

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::colour;

/// Half-widths of the ranges.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Jitter {
    /// Hues are rotated by a share of the circle from −hue to hue; from 0 to 1/2.
    pub hue: f64,
    /// Distances from a pixel's own grey are multiplied by a factor from 1 − saturation to 1 + saturation;
    /// from 0 to 1, like the others.
    pub saturation: f64,
    /// Distances from black, likewise.
    pub brightness: f64,
    /// Distances from the image's mean grey, likewise.
    pub contrast: f64,
}

/// Random numbers of one image's jitter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Throw {
    /// Numbers in \[−1, 1) of hue, saturation, brightness and contrast.
    numbers: [f64; 4],
    /// The order of the four changes.
    order: [usize; 4],
}

impl Throw {
    /// Uniform numbers and a uniformly random order.
    pub fn draw(rng: &mut ChaCha12Rng) -> Self {
        let numbers = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        let mut order = [0, 1, 2, 3];
        order.shuffle(rng);
        Self { numbers, order }
    }
}

impl Jitter {
    /// Changes an image of three planes. A range of 0 leaves every bit unchanged.
    pub(super) fn apply(&self, throw: &Throw, image: &mut [f32]) {
        let ranges = [self.hue, self.saturation, self.brightness, self.contrast];
        for i in throw.order {
            let by = (ranges[i] * throw.numbers[i]) as f32;
            match i {
                // Rotating the hue changes coordinates, which rounds.
                0 if by == 0.0 => {}
                0 => colour::turn(image, by),
                1 => colour::saturate(image, 1.0 + by),
                2 => colour::brighten(image, 1.0 + by),
                _ => colour::contrast(image, 1.0 + by),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    const NONE: Jitter = Jitter { hue: 0.0, saturation: 0.0, brightness: 0.0, contrast: 0.0 };

    /// An image of 5×5 pixels.
    fn image() -> Vec<f32> {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        (0..75).map(|_| rng.random()).collect()
    }

    #[test]
    fn each_range_makes_its_own_change() {
        type Change = fn(&mut [f32], f32);
        let throw = Throw { numbers: [0.5, -0.5, 0.25, -1.0], order: [0, 1, 2, 3] };
        let all: [(Jitter, Change, f32); 4] = [
            (Jitter { hue: 0.5, ..NONE }, colour::turn, 0.25),
            (Jitter { saturation: 0.5, ..NONE }, colour::saturate, 0.75),
            (Jitter { brightness: 1.0, ..NONE }, colour::brighten, 1.25),
            (Jitter { contrast: 0.5, ..NONE }, colour::contrast, 0.5),
        ];
        for (jitter, change, by) in all {
            let (mut jittered, mut changed) = (image(), image());
            jitter.apply(&throw, &mut jittered);
            change(&mut changed, by);
            assert_eq!(jittered, changed, "{jitter:?}");
            assert_ne!(jittered, image(), "{jitter:?}");
        }
        let mut same = image();
        NONE.apply(&throw, &mut same);
        assert_eq!(same, image());
    }

    #[test]
    fn changes_come_in_the_order_drawn() {
        let jitter = Jitter { hue: 0.5, saturation: 1.0, brightness: 1.0, contrast: 1.0 };
        let numbers = [0.3, 0.8, 0.9, -0.6];
        let result = |order| {
            let mut image = image();
            jitter.apply(&Throw { numbers, order }, &mut image);
            image
        };
        let mut expected = image();
        colour::contrast(&mut expected, 1.0 - 0.6);
        colour::brighten(&mut expected, 1.0 + 0.9);
        colour::turn(&mut expected, 0.15);
        colour::saturate(&mut expected, 1.0 + 0.8);
        assert_eq!(result([3, 2, 0, 1]), expected);
        assert_ne!(result([2, 3, 0, 1]), expected);
    }

    #[test]
    fn numbers_are_uniform_and_orders_all_there_are() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let throws: Vec<_> = (0..4800).map(|_| Throw::draw(&mut rng)).collect();
        for i in 0..4 {
            let mut numbers: Vec<_> = throws.iter().map(|throw| throw.numbers[i]).collect();
            numbers.sort_by(f64::total_cmp);
            // Kolmogorov's distance, at a level of 1e-6.
            let n = numbers.len() as f64;
            let share = |number: f64| (number + 1.0) / 2.0;
            let ranked = numbers.iter().enumerate();
            let far = ranked.map(|(rank, &number)| (share(number) - rank as f64 / n).abs());
            assert!(far.fold(0.0, f64::max) < 2.7 / n.sqrt());
        }
        let mut counts = std::collections::BTreeMap::new();
        for throw in &throws {
            *counts.entry(throw.order).or_insert(0) += 1;
        }
        // 200 expected, with a standard deviation of 14.
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (130..270).contains(count)), "{counts:?}");
    }
}
