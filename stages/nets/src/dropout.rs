//! Dropout masks drawn in bulk from ChaCha.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::Rng as _;
use tch::{TchError, Tensor};

/// Number of values of a uniform 16-bit number.
const LEVELS: f64 = 65536.0;

/// Draws masks: 0 with the probability of the rate, otherwise the factor that keeps the mean.
#[derive(Debug)]
pub struct Masks {
    /// Values whose random bits are below it are dropped.
    below: u16,
    kept: f32,
    rng: ChaCha12Rng,
    bytes: Vec<u8>,
    values: Vec<f32>,
}

impl Masks {
    /// Masks for a rate in (0, 1), which is exact to 1/65536.
    pub fn new(rate: f64, rng: ChaCha12Rng) -> Self {
        let below = (rate * LEVELS).round() as u16;
        let kept = (1.0 / (1.0 - f64::from(below) / LEVELS)) as f32;
        Self { below, kept, rng, bytes: Vec::new(), values: Vec::new() }
    }

    /// A mask of the shape, precision and device of `x`.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn draw(&mut self, x: &Tensor) -> Result<Tensor, TchError> {
        let count = x.numel();
        self.bytes.resize(2 * count, 0);
        self.rng.fill_bytes(&mut self.bytes);
        let (below, kept) = (self.below, self.kept);
        let value = |pair: &[u8; 2]| if u16::from_le_bytes(*pair) < below { 0.0 } else { kept };
        self.values.clear();
        self.values.extend(self.bytes.as_chunks().0.iter().map(value));
        let mask = Tensor::f_from_slice(&self.values)?.f_view(x.size().as_slice())?;
        mask.f_to_kind(x.f_kind()?)?.f_to_device(x.device())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;
    use tch::Kind;

    use super::*;

    #[test]
    fn masks_drop_at_their_rate_and_keep_the_mean() {
        let x = Tensor::ones([100, 1000], (Kind::Float, tch::Device::Cpu));
        for rate in [0.3, 0.05] {
            let mut masks = Masks::new(rate, ChaCha12Rng::seed_from_u64(1));
            let mask = masks.draw(&x).unwrap();
            let share = |t: &Tensor| t.mean(Kind::Double).double_value(&[]);
            let dropped = share(&mask.eq(0.0).to_kind(Kind::Double));
            // Five standard errors.
            let error = (rate * (1.0 - rate) / 1e5).sqrt();
            assert!((dropped - rate).abs() < 5.0 * error, "{dropped} of {rate}");
            assert!((share(&mask) - (1.0 - dropped) / (1.0 - rate)).abs() < 1e-4);
            assert_ne!(mask, masks.draw(&x).unwrap());
        }
    }
}
