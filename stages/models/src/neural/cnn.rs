//! A convolutional network for small images, as data: two groups of two 3×3 convolutions, each group followed
//! by pooling and dropout, then one wide layer with dropout and the output layer. The crate `nets` trains it.
//!
//! \[Joy2019\] tunes "the benchmark architecture configuration with 25 epochs" without saying which. This is
//! the CIFAR-10 example of the Keras library (`cifar10_cnn`), whose free numbers are exactly those that the
//! paper tunes, and which states its accuracy after 25 epochs.

use serde::{Deserialize, Serialize};

use super::residual::{BadImages, Images};

/// The settings that are fixed during tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CnnArchitecture {
    /// Channels of the convolutions of each group (32 and 64 in the example).
    pub widths: [usize; 2],
    /// Passes over the training images.
    pub epochs: usize,
}

/// The tuned settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CnnOptions {
    /// Minibatch size.
    pub batch: usize,
    /// Dropout rate of the pooled values after each group.
    pub convolution_dropout: f64,
    /// Learning rate.
    pub rate: f64,
    /// Momentum.
    pub momentum: f64,
    /// Units of the wide layer.
    pub neurons: usize,
    /// Dropout rate of the wide layer.
    pub dropout: f64,
}

/// A network that cannot be trained.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadCnn {
    /// A number is out of range.
    #[error("{name} is {value}: expected {expected}")]
    Number {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// Images that are too small for the convolutions and pooling.
    #[error("images of side {0}: expected at least 10")]
    Small(usize),
    /// Inconsistent images.
    #[error(transparent)]
    Images(#[from] BadImages),
}

impl CnnOptions {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If a count is 0, the learning rate not finite and positive, or a share not in \[0, 1).
    pub fn check(&self) -> Result<(), BadCnn> {
        at_least_one("batch", self.batch)?;
        at_least_one("neurons", self.neurons)?;
        for (name, value) in [
            ("convolution-dropout", self.convolution_dropout),
            ("dropout", self.dropout),
            ("momentum", self.momentum),
        ] {
            if !(0.0..1.0).contains(&value) {
                return Err(BadCnn::Number { name, value, expected: "a number from 0 to below 1" });
            }
        }
        let value = self.rate;
        if !(value.is_finite() && value > 0.0) {
            return Err(BadCnn::Number { name: "rate", value, expected: "a positive number" });
        }
        Ok(())
    }
}

fn at_least_one(name: &'static str, count: usize) -> Result<(), BadCnn> {
    match count {
        0 => Err(BadCnn::Number { name, value: 0.0, expected: "at least 1" }),
        _ => Ok(()),
    }
}

/// Sides of a square image through the network: after the convolutions of a group, of which the first keeps
/// the size and the second has no padding, and after its pooling by two.
fn sides(size: usize) -> [(usize, usize); 2] {
    let group = |size: usize| {
        let inside = size.saturating_sub(2);
        (inside, inside / 2)
    };
    let first = group(size);
    [first, group(first.1)]
}

impl CnnArchitecture {
    /// Checks the numbers, and that the network accepts these images.
    ///
    /// # Errors
    /// If a number is out of range, or the images are too small or inconsistent.
    pub fn check(&self, images: &Images<'_>, classes: usize) -> Result<(), BadCnn> {
        let [first, second] = self.widths;
        at_least_one("widths", first.min(second))?;
        at_least_one("epochs", self.epochs)?;
        images.check(classes)?;
        if self.pooled(images.size) == 0 {
            return Err(BadCnn::Small(images.size));
        }
        Ok(())
    }

    /// Values of an image after the second group: the inputs of the wide layer. 0 if the image is too small.
    #[must_use]
    pub fn pooled(&self, size: usize) -> usize {
        let [_, (_, side)] = sides(size);
        self.widths[1] * side * side
    }

    /// Multiplications that one pass over one image of a training takes: forward, and backward to
    /// inputs and to weights, but not to the image's own values.
    #[must_use]
    pub fn multiplications(
        &self,
        (channels, size): (usize, usize),
        neurons: usize,
        classes: usize,
    ) -> u64 {
        let [a, b] = self.widths;
        let [(first, half), (second, _)] = sides(size);
        let area = |side: usize| 9 * side * side;
        let stem = area(size) * channels * a;
        let convolutions = area(first) * a * a + area(half) * a * b + area(second) * b * b;
        let wide = self.pooled(size) * neurons + neurons * classes;
        (2 * stem + 3 * (convolutions + wide)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERAS: CnnArchitecture = CnnArchitecture { widths: [32, 64], epochs: 25 };
    const OPTIONS: CnnOptions = CnnOptions {
        batch: 32,
        convolution_dropout: 0.25,
        rate: 0.01,
        momentum: 0.9,
        neurons: 512,
        dropout: 0.5,
    };

    #[test]
    fn sizes_and_work_are_those_of_the_example() {
        // Keras prints 30, 15, 13 and 6 as sides, and 2304 values before the wide layer.
        assert_eq!(sides(32), [(30, 15), (13, 6)]);
        assert_eq!(KERAS.pooled(32), 2304);
        // The convolutions' outputs (values) times their inputs (9 × channels), then the layers.
        let stem = 32 * 32 * 32 * 27;
        let rest = 30 * 30 * 32 * 288 + 15 * 15 * 64 * 288 + 13 * 13 * 64 * 576;
        let wide = 2304 * 512 + 512 * 10;
        let expected = 2 * stem + 3 * (rest + wide);
        assert_eq!(KERAS.multiplications((3, 32), 512, 10), expected);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(OPTIONS.check(), Ok(()));
        for (name, bad) in [
            ("batch", CnnOptions { batch: 0, ..OPTIONS }),
            ("neurons", CnnOptions { neurons: 0, ..OPTIONS }),
            ("convolution-dropout", CnnOptions { convolution_dropout: 1.0, ..OPTIONS }),
            ("dropout", CnnOptions { dropout: f64::NAN, ..OPTIONS }),
            ("momentum", CnnOptions { momentum: -0.1, ..OPTIONS }),
            ("rate", CnnOptions { rate: f64::INFINITY, ..OPTIONS }),
            ("rate", CnnOptions { rate: 0.0, ..OPTIONS }),
        ] {
            let error = bad.check().unwrap_err();
            assert!(matches!(error, BadCnn::Number { name: n, .. } if n == name), "{error}");
        }
    }

    #[test]
    fn images_must_survive_the_pooling() {
        let images = |size: usize| (vec![0; size * size], size);
        for (size, fine) in [(10, true), (11, true), (9, false), (1, false)] {
            let (pixels, size) = images(size);
            let one = Images { pixels: &pixels, labels: &[1], size, channels: 1 };
            let found = KERAS.check(&one, 2);
            assert_eq!(found, if fine { Ok(()) } else { Err(BadCnn::Small(size)) });
            assert!(matches!(KERAS.check(&one, 1), Err(BadCnn::Images(_))));
        }
        let (pixels, size) = images(10);
        let one = Images { pixels: &pixels, labels: &[0], size, channels: 1 };
        for bad in [
            CnnArchitecture { widths: [0, 4], ..KERAS },
            CnnArchitecture { widths: [4, 0], ..KERAS },
            CnnArchitecture { epochs: 0, ..KERAS },
        ] {
            assert!(matches!(bad.check(&one, 2), Err(BadCnn::Number { .. })), "{bad:?}");
        }
    }
}
