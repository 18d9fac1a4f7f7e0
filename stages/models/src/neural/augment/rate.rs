//! Dropout rates, compared with sixteen random bits per value.

/// Number of values of a uniform 16-bit number.
const LEVELS: f64 = 65536.0;

/// A dropout rate, exact to 1/65536, with the factor that keeps the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Values whose random bits are below it are dropped.
    below: u32,
    kept: f32,
}

impl Rate {
    /// A rate from 0 to 1, both included: at 1 everything is dropped, so that rates that rounding brought to
    /// 1 give no infinite factor. Other rates are clipped to this range; NaN drops nothing.
    pub fn new(rate: f64) -> Self {
        let below = (rate.clamp(0.0, 1.0) * LEVELS).round() as u32;
        let left = 1.0 - f64::from(below) / LEVELS;
        let kept = if left > 0.0 { 1.0 / left } else { 0.0 };
        Self { below, kept: kept as f32 }
    }

    /// The factor of a value with these random bits.
    #[inline]
    pub fn factor(self, bits: u16) -> f32 {
        if u32::from(bits) < self.below { 0.0 } else { self.kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_met_and_the_mean_is_kept() {
        for rate in [0.0, 1.0 / 65536.0, 0.05, 0.5, 0.9, 1.0 - 1.0 / 65536.0] {
            let drop = Rate::new(rate);
            let factors = (0..=u16::MAX).map(|bits| drop.factor(bits));
            let dropped = factors.clone().filter(|&factor| factor == 0.0).count();
            assert!((dropped as f64 - rate * LEVELS).abs() <= 0.5, "{rate}: {dropped}");
            let mean = factors.map(f64::from).sum::<f64>() / LEVELS;
            assert!((mean - 1.0).abs() < 1e-7, "{rate}: {mean}");
        }
    }

    #[test]
    fn no_rate_gives_a_factor_without_end() {
        assert_eq!((Rate::new(1.0).factor(0), Rate::new(1.0).factor(u16::MAX)), (0.0, 0.0));
        assert_eq!(Rate::new(1.0 - 1e-9), Rate::new(1.0));
        assert_eq!(Rate::new(7.0), Rate::new(1.0));
        for none in [0.0, -1.0] {
            assert_eq!(Rate::new(none).factor(0), 1.0);
        }
        assert_eq!(Rate::new(f64::NAN).factor(0), 1.0);
    }
}
