//! Ratios of means of positive values, such as times.

use rand_chacha::ChaCha12Rng;

use crate::{
    bootstrap::{Estimate, interval_of_two},
    moments::mean,
};

/// The mean of `a` over the mean of `b` with its 95% interval. All values are positive, and so is the interval: it is that
/// of [`interval_of_two`] for the logarithm of the ratio, since an interval around the ratio itself can reach below zero,
/// where no ratio is.
///
/// ```
/// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
/// use stats::ratio::interval_of_ratio;
///
/// let mut rng = ChaCha12Rng::seed_from_u64(1);
/// let (slow, fast) = ([20.3, 26.9, 21.3], [0.035, 0.013, 0.012]);
/// let times = interval_of_ratio(&slow, &fast, &mut rng);
/// assert!((times.value - 1141.7).abs() < 0.1 && times.low > 100.0);
/// ```
#[must_use]
pub fn interval_of_ratio(a: &[f64], b: &[f64], rng: &mut ChaCha12Rng) -> Estimate {
    let logarithm = interval_of_two(a, b, rng, |a, b| (mean(a) / mean(b)).ln());
    let Estimate { value, low, high, n } = logarithm;
    Estimate { value: value.exp(), low: low.exp(), high: high.exp(), n }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_distr::StandardNormal;

    use super::*;
    use crate::distribution::t_quantile;

    fn rng(seed: u64) -> ChaCha12Rng {
        ChaCha12Rng::seed_from_u64(seed)
    }

    #[test]
    fn a_small_scatter_gives_the_interval_of_the_delta_method() {
        let (a, b) = ([99.0, 101.0, 100.5, 99.5, 100.0], [10.1, 9.9, 10.05, 9.95, 10.0]);
        let found = interval_of_ratio(&a, &b, &mut rng(1));
        // Both have a relative variance of 0.625e-4; the mean of five has a fifth of it, and Welch's freedom is 8.
        let half = t_quantile(0.975, 8.0) * (2.0 * 0.625e-4_f64 / 5.0).sqrt();
        let expected = [10.0, 10.0 * (-half).exp(), 10.0 * half.exp()];
        for (found, expected) in [found.value, found.low, found.high].into_iter().zip(expected) {
            // A twentieth of the half width: what the resamples leave.
            assert!((found - expected).abs() < 0.05 * 10.0 * half, "{found} {expected}");
        }
    }

    #[test]
    fn the_unit_of_time_does_not_matter() {
        let (a, b) = ([3.0, 5.0, 4.0], [1.0, 0.2, 0.4]);
        let own = interval_of_ratio(&a, &b, &mut rng(2));
        let hours = |values: &[f64]| values.iter().map(|v| v / 3600.0).collect::<Vec<_>>();
        let other = interval_of_ratio(&hours(&a), &hours(&b), &mut rng(2));
        assert!(own.low > 0.0 && own.high.is_finite());
        for (own, other) in [(own.low, other.low), (own.high, other.high)] {
            assert!((own / other - 1.0).abs() < 1e-12, "{own} {other}");
        }
    }

    #[test]
    fn it_holds_the_ratio_as_often_as_it_says() {
        let mut rng = rng(3);
        let mut held = 0;
        for _ in 0..400 {
            let mut draw = |centre: f64| -> Vec<f64> {
                (0..8)
                    .map(|_| centre * (1.0 + 0.1 * rng.sample::<f64, _>(StandardNormal)))
                    .collect()
            };
            let (a, b) = (draw(30.0), draw(2.0));
            let found = interval_of_ratio(&a, &b, &mut rng);
            held += usize::from(found.low <= 15.0 && 15.0 <= found.high);
        }
        assert!((372..=392).contains(&held), "{held} of 400"); // 93 to 98 %
    }
}
