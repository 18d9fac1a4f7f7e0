//! Dropout masks with a separate rate for each example of a batch. They are drawn in bulk from ChaCha, the
//! same number of random numbers whatever the rates are.

use models::neural::augment::Rate;
use rand_chacha::{ChaCha12Rng, rand_core::Rng as _};
use tch::{TchError, Tensor};

/// Draws masks: 0 with the probability of the rate, otherwise the factor that keeps the mean. The rates are
/// constants: no gradient flows back to their origin.
#[derive(Debug)]
pub struct ExampleMasks {
    /// The generator in its current state.
    pub rng: ChaCha12Rng,
    bits: Vec<u8>,
    factors: Vec<f32>,
}

impl ExampleMasks {
    /// Masks from this generator.
    pub fn new(rng: ChaCha12Rng) -> Self {
        Self { rng, bits: Vec::new(), factors: Vec::new() }
    }

    /// A mask B×C×1×1 for whole channels of `x` (B×C×H×W) by B rates.
    ///
    /// # Errors
    /// If there are not B rates, or memory cannot be allocated.
    pub fn channels(&mut self, rates: &[Rate], x: &Tensor) -> Result<Tensor, TchError> {
        let (batch, channels, _, _) = x.size4()?;
        self.draw(rates, x, &[batch, channels, 1, 1])
    }

    /// A mask B×D for single values of `x` (B×D) by B rates.
    ///
    /// # Errors
    /// If there are not B rates, or memory cannot be allocated.
    pub fn values(&mut self, rates: &[Rate], x: &Tensor) -> Result<Tensor, TchError> {
        let (batch, values) = x.size2()?;
        self.draw(rates, x, &[batch, values])
    }

    /// A mask of this shape, of the precision and device of `x`.
    fn draw(&mut self, rates: &[Rate], x: &Tensor, shape: &[i64]) -> Result<Tensor, TchError> {
        let each = shape[1] as usize;
        self.bits.resize(2 * each, 0);
        self.factors.clear();
        for rate in rates {
            self.rng.fill_bytes(&mut self.bits);
            let bits = self.bits.as_chunks().0.iter();
            self.factors.extend(bits.map(|&bits| rate.factor(u16::from_le_bytes(bits))));
        }
        let mask = Tensor::f_from_slice(&self.factors)?.f_view(shape)?;
        mask.f_to_kind(x.f_kind()?)?.f_to_device(x.device())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;
    use tch::{Device, Kind};

    use super::*;

    const FLOAT: (Kind, Device) = (Kind::Float, Device::Cpu);

    fn masks() -> ExampleMasks {
        ExampleMasks::new(ChaCha12Rng::seed_from_u64(1))
    }

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(tensor.reshape([-1])).unwrap()
    }

    #[test]
    fn each_example_has_its_own_rate() {
        let rates = [0.0, 0.2, 0.75, 1.0];
        let n = 20_000;
        let x = Tensor::zeros([4, n], FLOAT);
        let mask = masks().values(&rates.map(Rate::new), &x).unwrap();
        assert_eq!(mask.size(), x.size());
        for (row, rate) in numbers(&mask).chunks_exact(n as usize).zip(rates) {
            let dropped = row.iter().filter(|&&factor| factor == 0.0).count() as f64 / n as f64;
            // Five standard errors.
            let error = (rate * (1.0 - rate) / n as f64).sqrt();
            assert!((dropped - rate).abs() <= 5.0 * error, "{dropped} of {rate}");
            let kept = row.iter().filter(|&&factor| factor != 0.0);
            let right = |&factor: &f32| (f64::from(factor) * (1.0 - rate) - 1.0).abs() < 1e-4;
            assert!(kept.clone().all(right), "{rate}");
        }
    }

    #[test]
    fn channels_are_dropped_whole() {
        let rates = [Rate::new(0.5); 3];
        let x = Tensor::ones([3, 40, 2, 2], FLOAT);
        let mut masks = masks();
        let mask = masks.channels(&rates, &x).unwrap();
        assert_eq!(mask.size(), [3, 40, 1, 1]);
        let dropped: Vec<bool> = numbers(&mask).iter().map(|&factor| factor == 0.0).collect();
        assert!(dropped.contains(&true) && dropped.contains(&false));
        assert_ne!(numbers(&masks.channels(&rates, &x).unwrap()), numbers(&mask));
    }

    #[test]
    fn rates_of_one_example_do_not_touch_another() {
        let x = Tensor::ones([3, 50], FLOAT);
        let draw = |rate| {
            let rates = [0.5, rate, 0.5].map(Rate::new);
            numbers(&masks().values(&rates, &x).unwrap())
        };
        let (low, high) = (draw(0.1), draw(0.9));
        assert_eq!((&low[..50], &low[100..]), (&high[..50], &high[100..]));
        assert_ne!(low[50..100], high[50..100]);
    }

    #[test]
    fn as_many_rates_as_examples() {
        let x = Tensor::ones([3, 5], (Kind::Double, Device::Cpu));
        assert!(masks().values(&[Rate::new(0.5); 2], &x).is_err());
        let mask = masks().values(&[Rate::new(0.5); 3], &x).unwrap();
        assert_eq!(mask.kind(), Kind::Double);
    }
}
