//! Turns the bytes of an image into the inputs of a network: standardised by the training images, and
//! augmented with this image's own strengths if there are any.

use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::Rng as _};

use super::{cutout::Centres, jitter::Throw, rate::Rate, strengths::Strengths};
use crate::neural::residual::Images;

/// Images that do not have three colour channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("images of {0} channels: expected 3, red, green and blue")]
pub struct NotColour(pub usize);

/// Prepares images of one size.
#[derive(Debug, Clone)]
pub struct ImageTransform {
    side: usize,
    /// Factor and offset of each channel: from a share of full brightness to mean 0 and deviation 1.
    standard: [(f32, f32); 3],
    bits: Vec<u8>,
}

impl ImageTransform {
    /// A transform for images like these, by whose means and standard deviations values are standardised; a
    /// constant channel is only centred.
    ///
    /// # Errors
    /// If they do not have three channels.
    pub fn new(training: &Images<'_>) -> Result<Self, NotColour> {
        let moments = training.moments();
        let Ok(moments) = <[(f64, f64); 3]>::try_from(moments) else {
            return Err(NotColour(training.channels));
        };
        let standard = moments.map(|(mean, deviation)| {
            let by = if deviation > 0.0 { deviation } else { 1.0 };
            ((255.0 / by) as f32, (-mean / by) as f32)
        });
        Ok(Self { side: training.size, standard, bits: Vec::new() })
    }

    /// Values of one image, 3×S×S.
    pub fn values(&self) -> usize {
        3 * self.side * self.side
    }

    /// Adds an image of 3×S×S bytes to `into`.
    ///
    /// # Panics
    /// If it has another size.
    pub fn plain(&self, image: &[u8], into: &mut Vec<f32>) {
        let own = self.expose(image, into);
        self.standardise(own);
    }

    /// Adds an image of 3×S×S bytes to `into`, changed by its strengths.
    ///
    /// It draws the same number of random numbers whatever the strengths are, and uses the same ones for each
    /// change: the strengths of one image affect neither other images nor other changes of the same image.
    /// Strengths that are NaN give NaN, or change nothing.
    ///
    /// # Panics
    /// If it has another size.
    pub fn changed(
        &mut self,
        image: &[u8],
        strengths: &Strengths,
        rng: &mut ChaCha12Rng,
        into: &mut Vec<f32>,
    ) {
        let throw = Throw::draw(rng);
        let centres = Centres::draw(self.side, rng);
        let scale = scale(strengths.scaling, rng.random());
        self.bits.resize(2 * self.values(), 0);
        rng.fill_bytes(&mut self.bits);

        let own = self.expose(image, into);
        strengths.jitter.apply(&throw, own);
        self.standardise(own);
        strengths.cutout.apply(&centres, self.side, own);
        let rate = Rate::new(strengths.dropout);
        for (value, &bits) in own.iter_mut().zip(self.bits.as_chunks().0) {
            *value *= rate.factor(u16::from_le_bytes(bits)) * scale;
        }
    }

    /// Adds shares of full brightness.
    fn expose<'a>(&self, image: &[u8], into: &'a mut Vec<f32>) -> &'a mut [f32] {
        assert_eq!(image.len(), self.values(), "three bytes a pixel");
        let from = into.len();
        into.extend(image.iter().map(|&byte| f32::from(byte) / 255.0));
        &mut into[from..]
    }

    fn standardise(&self, image: &mut [f32]) {
        let planes = image.chunks_exact_mut(self.side * self.side);
        for (plane, (factor, offset)) in planes.zip(self.standard) {
            for value in plane {
                *value = *value * factor + offset;
            }
        }
    }
}

/// Maps a number from 0 to 1 to a factor from 1/(1 + s) to 1 + s.
fn scale(s: f64, number: f64) -> f32 {
    let (least, most) = (1.0 / (1.0 + s), 1.0 + s);
    (least + (most - least) * number) as f32
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::super::{Cutout, Jitter};
    use super::*;

    const SIDE: usize = 8;
    const VALUES: usize = 3 * SIDE * SIDE;

    /// Bytes of some images.
    fn pixels(count: usize) -> Vec<u8> {
        let mut pixels = vec![0; count * VALUES];
        ChaCha12Rng::seed_from_u64(7).fill_bytes(&mut pixels);
        pixels
    }

    fn transform(pixels: &[u8]) -> ImageTransform {
        let labels = vec![0; pixels.len() / VALUES];
        ImageTransform::new(&Images { pixels, labels: &labels, size: SIDE, channels: 3 }).unwrap()
    }

    /// The images, each changed by its strengths.
    fn changed(pixels: &[u8], strengths: &[Strengths]) -> Vec<f32> {
        let (mut transform, mut rng) = (transform(pixels), ChaCha12Rng::seed_from_u64(3));
        let mut values = Vec::new();
        for (image, strengths) in pixels.chunks_exact(VALUES).zip(strengths) {
            transform.changed(image, strengths, &mut rng, &mut values);
        }
        values
    }

    fn plain(pixels: &[u8]) -> Vec<f32> {
        let mut values = Vec::new();
        let images = pixels.chunks_exact(VALUES);
        images.for_each(|image| transform(pixels).plain(image, &mut values));
        values
    }

    const ALL: Strengths = Strengths {
        jitter: Jitter { hue: 0.5, saturation: 0.9, brightness: 0.8, contrast: 0.7 },
        cutout: Cutout { holes: 3, length: 3 },
        dropout: 0.4,
        scaling: 0.3,
    };

    #[test]
    fn values_are_standardised_by_channel() {
        let pixels = pixels(3);
        let values = plain(&pixels);
        for channel in 0..3 {
            let own: Vec<f64> = values
                .chunks_exact(SIDE * SIDE)
                .skip(channel)
                .step_by(3)
                .flatten()
                .map(|&value| f64::from(value))
                .collect();
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            let square = own.iter().map(|v| v * v).sum::<f64>() / own.len() as f64;
            assert!(mean.abs() < 1e-6 && (square - 1.0).abs() < 1e-6, "{mean}, {square}");
        }
        let grey = Images { pixels: &pixels, labels: &[0; 9], size: SIDE, channels: 1 };
        assert_eq!(ImageTransform::new(&grey).unwrap_err(), NotColour(1));
        let flat = transform(&[9; VALUES]);
        let mut values = Vec::new();
        flat.plain(&[9; VALUES], &mut values);
        assert!(values.iter().all(|value| value.abs() < 1e-5));
    }

    #[test]
    fn no_strength_changes_no_bit() {
        let pixels = pixels(4);
        assert_eq!(changed(&pixels, &[Strengths::default(); 4]), plain(&pixels));
    }

    #[test]
    fn strengths_of_one_image_do_not_touch_another() {
        let pixels = pixels(3);
        let others = changed(&pixels, &[ALL; 3]);
        for strengths in [
            Strengths::default(),
            Strengths { dropout: 1.0, ..ALL },
            Strengths { cutout: Cutout { holes: 4, length: 24 }, ..ALL },
            Strengths { jitter: Jitter::default(), ..ALL },
        ] {
            let values = changed(&pixels, &[ALL, strengths, ALL]);
            assert_eq!(values[..VALUES], others[..VALUES]);
            assert_eq!(values[2 * VALUES..], others[2 * VALUES..]);
            assert_ne!(values[VALUES..2 * VALUES], others[VALUES..2 * VALUES]);
        }
    }

    #[test]
    fn changes_of_one_image_do_not_touch_each_other() {
        let pixels = pixels(5);
        // The positions of zeros, without jitter and scaling and with them.
        let bare = Strengths { jitter: Jitter::default(), scaling: 0.0, ..ALL };
        let zeros = |strengths: Strengths| {
            let values = changed(&pixels, &[strengths; 5]);
            values.iter().map(|&value| value == 0.0).collect::<Vec<_>>()
        };
        let all = zeros(ALL);
        assert_eq!(zeros(bare), all);
        // Holes and dropped values are at the same positions with and without each other.
        let (holes, drops) = (
            zeros(Strengths { dropout: 0.0, ..bare }),
            zeros(Strengths { cutout: Cutout::default(), ..bare }),
        );
        let either: Vec<bool> = holes.iter().zip(&drops).map(|(a, b)| a | b).collect();
        assert_eq!(either, all);
        assert!(holes != all && drops != all);
    }

    #[test]
    fn values_are_dropped_at_the_rate_of_their_image() {
        let (count, rates) = (40, [0.1, 0.75]);
        let pixels = pixels(count);
        let strengths: Vec<Strengths> = (0..count)
            .map(|i| Strengths { dropout: rates[i % 2], ..Strengths::default() })
            .collect();
        let (values, before) = (changed(&pixels, &strengths), plain(&pixels));
        for (i, rate) in rates.into_iter().enumerate() {
            let own = |values: &[f32]| -> Vec<f32> {
                values.chunks_exact(VALUES).skip(i).step_by(2).flatten().copied().collect()
            };
            let (values, before) = (own(&values), own(&before));
            let dropped = values.iter().filter(|&&value| value == 0.0).count() as f64;
            // Five standard errors.
            let n = values.len() as f64;
            let error = (rate * (1.0 - rate) / n).sqrt();
            assert!((dropped / n - rate).abs() < 5.0 * error, "{dropped} of {n} at {rate}");
            let grown = (1.0 / (1.0 - rate)) as f32;
            for (value, before) in values.iter().zip(before).filter(|(value, _)| **value != 0.0) {
                assert!((value - before * grown).abs() < 1e-4 * value.abs(), "{value}, {before}");
            }
        }
    }

    #[test]
    fn images_are_scaled_by_one_number_each() {
        let s = 0.3;
        let pixels = pixels(400);
        let strengths = Strengths { scaling: s, ..Strengths::default() };
        let (values, before) = (changed(&pixels, &vec![strengths; 400]), plain(&pixels));
        let mut factors = Vec::new();
        for (values, before) in values.chunks_exact(VALUES).zip(before.chunks_exact(VALUES)) {
            let factor = values[0] / before[0];
            let same = |(value, before): (&f32, &f32)| (value - before * factor).abs() < 1e-5;
            assert!(values.iter().zip(before).all(same));
            factors.push(f64::from(factor));
        }
        let (least, most) = (1.0 / 1.3, 1.3);
        assert!(factors.iter().all(|f| (least - 1e-6..most + 1e-6).contains(f)));
        // Five standard errors of a uniform mean.
        let mean = factors.iter().sum::<f64>() / 400.0;
        let error = (most - least) / 12.0_f64.sqrt() / 20.0;
        assert!((mean - (least + most) / 2.0).abs() < 5.0 * error, "{mean}");
    }
}
