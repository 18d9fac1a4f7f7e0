//! The small AlexNet of \[MacKay2019\] section 4.2 and appendix E, as data: the layers of a network for
//! images of 32×32 or 16×16 pixels, and narrower versions of it.
//!
//! The paper says "AlexNet" alone; these are the layers of its public code.

use serde::{Deserialize, Serialize};

/// Channels after each convolution, at full width.
const CHANNELS: [usize; 5] = [64, 192, 384, 256, 256];

/// Units of the two hidden layers, at full width.
const HIDDEN: usize = 4096;

/// A network: which images it takes, and how wide it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AlexNet {
    /// Side of the images, a multiple of 16, since it is halved four times.
    pub side: usize,
    /// Number of classes.
    pub classes: usize,
    /// The factor by which the numbers of channels and hidden units are divided: a divisor of 64; 1 is the
    /// full width.
    pub width_divisor: usize,
    /// Whether the elementary output of a fully connected layer that responds to hyper-parameters has a
    /// factor, like that of a convolution: it has none in the listings of appendix G, but has one in the
    /// public code.
    pub dense_factor: bool,
}

/// A 3×3 convolution with a padding of one pixel, then ReLU, then 2×2 max pooling if the layer is pooled,
/// then dropout of whole channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convolution {
    /// Input channels.
    pub from: usize,
    /// Output channels.
    pub to: usize,
    /// Stride in pixels.
    pub stride: usize,
    /// Whether it is pooled.
    pub pooled: bool,
}

/// Dropout of single values, if the layer has one, then a fully connected layer, then ReLU unless it
/// is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dense {
    /// Number of inputs.
    pub from: usize,
    /// Number of outputs.
    pub to: usize,
    /// Whether its inputs are dropped.
    pub dropped: bool,
    /// Whether it outputs the logits.
    pub last: bool,
}

/// Invalid numbers of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} {value}: expected {expected}")]
pub struct BadAlexNet {
    /// The name of the number.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// The accepted values.
    pub expected: &'static str,
}

impl AlexNet {
    /// Number of colour channels of the images.
    pub const COLOURS: usize = 3;
    /// Layers whose channels are dropped: one after each convolution.
    pub const CONVOLUTIONS: usize = CHANNELS.len();
    /// Fully connected layers.
    pub const DENSE: usize = 3;

    /// Checks the numbers.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), BadAlexNet> {
        let Self { side, classes, width_divisor, .. } = *self;
        let sound = side > 0 && side.is_multiple_of(16);
        let divides = width_divisor > 0 && 64_usize.is_multiple_of(width_divisor);
        let all = [
            ("side", side, sound, "a multiple of 16"),
            ("classes", classes, (2..=256).contains(&classes), "2 to 256"),
            ("width-divisor", width_divisor, divides, "1, 2, 4, 8, 16, 32 or 64"),
        ];
        match all.into_iter().find(|(_, _, fine, _)| !fine) {
            Some((name, value, _, expected)) => Err(BadAlexNet { name, value, expected }),
            None => Ok(()),
        }
    }

    /// The convolutions in order.
    pub fn convolutions(&self) -> [Convolution; Self::CONVOLUTIONS] {
        std::array::from_fn(|i| Convolution {
            from: if i == 0 { Self::COLOURS } else { CHANNELS[i - 1] / self.width_divisor },
            to: CHANNELS[i] / self.width_divisor,
            stride: if i == 0 { 2 } else { 1 },
            pooled: matches!(i, 0 | 1 | 4),
        })
    }

    /// The fully connected layers in order. The first takes the output of the last convolution, channel by
    /// channel, each channel row by row.
    pub fn dense(&self) -> [Dense; Self::DENSE] {
        let shrunk = self.side / 16;
        let last = CHANNELS[Self::CONVOLUTIONS - 1] / self.width_divisor * shrunk * shrunk;
        let hidden = HIDDEN / self.width_divisor;
        let layer = |from, to, dropped, last| Dense { from, to, dropped, last };
        [
            layer(last, hidden, true, false),
            layer(hidden, hidden, true, false),
            layer(hidden, self.classes, false, true),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: AlexNet = AlexNet { side: 32, classes: 10, width_divisor: 1, dense_factor: false };

    #[test]
    fn layers_fit_one_behind_another() {
        for side in [16, 32, 64] {
            for width_divisor in [1, 2, 4, 8, 16, 32, 64] {
                let net = AlexNet { side, width_divisor, ..FULL };
                assert_eq!(net.check(), Ok(()));
                let (mut channels, mut size) = (3, side);
                for layer in net.convolutions() {
                    assert_eq!(layer.from, channels);
                    // A kernel of 3 with a padding of 1.
                    size = (size + 2 - 3) / layer.stride + 1;
                    size /= if layer.pooled { 2 } else { 1 };
                    channels = layer.to;
                }
                let mut values = channels * size * size;
                for layer in net.dense() {
                    assert_eq!(layer.from, values);
                    values = layer.to;
                }
                assert_eq!(values, 10);
                assert_eq!(net.convolutions().map(|layer| layer.to * width_divisor), CHANNELS);
            }
        }
    }

    #[test]
    fn the_full_network_has_the_weights_of_the_public_code() {
        // Its listing: kernels and offsets of five convolutions and three fully connected layers.
        let kernels = FULL.convolutions().map(|layer| layer.to * (9 * layer.from + 1));
        assert_eq!(kernels, [1792, 110_784, 663_936, 884_992, 590_080]);
        let dense = FULL.dense().map(|layer| layer.to * (layer.from + 1));
        assert_eq!(dense, [4_198_400, 16_781_312, 40_970]);
        let pooled = FULL.convolutions().map(|layer| layer.pooled);
        assert_eq!(pooled, [true, true, false, false, true]);
        assert_eq!(FULL.convolutions().map(|layer| layer.stride), [2, 1, 1, 1, 1]);
        assert_eq!(
            FULL.dense().map(|layer| (layer.dropped, layer.last)),
            [(true, false), (true, false), (false, true)]
        );
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let bad = [
            ("side", AlexNet { side: 0, ..FULL }),
            ("side", AlexNet { side: 24, ..FULL }),
            ("classes", AlexNet { classes: 1, ..FULL }),
            ("classes", AlexNet { classes: 257, ..FULL }),
            ("width-divisor", AlexNet { width_divisor: 0, ..FULL }),
            ("width-divisor", AlexNet { width_divisor: 3, ..FULL }),
            ("width-divisor", AlexNet { width_divisor: 128, ..FULL }),
        ];
        for (name, net) in bad {
            assert_eq!(net.check().unwrap_err().name, name);
        }
    }
}
