//! Images for tests of training: three classes that a small network can distinguish.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::Images;

/// Square images in two channels: the class says which third of the rows is bright, over noise.
pub struct Toy {
    pixels: Vec<u8>,
    /// The class of each.
    pub labels: Vec<u8>,
    size: usize,
}

impl Toy {
    /// This many images of `size` × `size`.
    pub fn new(size: usize, count: usize, seed: u64) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let labels: Vec<u8> = (0..count).map(|i| (i % 3) as u8).collect();
        let (values, third) = (size * size, size.div_ceil(3) * size);
        let mut pixels = Vec::new();
        for &label in &labels {
            for at in 0..2 * values {
                let bright = (at % values) / third == usize::from(label);
                pixels.push(rng.random_range(0..100) + if bright { 100 } else { 0 });
            }
        }
        Self { pixels, labels, size }
    }

    pub fn images(&self) -> Images<'_> {
        Images { pixels: &self.pixels, labels: &self.labels, size: self.size, channels: 2 }
    }
}
