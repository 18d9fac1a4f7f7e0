//! Bootstrap confidence intervals.

use rand::RngExt;
use rand_chacha::ChaCha12Rng;

use super::distribution::{normal_cdf, normal_quantile};
use super::moments::mean;
use super::order::quantile;

/// A value with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The statistic on the sample.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Sample size.
    pub n: usize,
}

/// How many resamples an interval is made of.
pub const RESAMPLES: usize = 4000;

/// `statistic` of `sample` with its 95% percentile interval \[Efron1979\]. An empty sample gives NaN;
/// resamples on which the statistic is NaN are left out.
pub fn interval<T: Copy>(
    sample: &[T],
    rng: &mut ChaCha12Rng,
    statistic: impl Fn(&[T]) -> f64,
) -> Estimate {
    let values = resampled(sample, rng, &statistic);
    Estimate {
        value: statistic(sample),
        low: quantile(&values, 0.025),
        high: quantile(&values, 0.975),
        n: sample.len(),
    }
}

/// `statistic` on [`RESAMPLES`] samples of the same size drawn with replacement; NaNs are left out.
fn resampled<T: Copy>(
    sample: &[T],
    rng: &mut ChaCha12Rng,
    statistic: &impl Fn(&[T]) -> f64,
) -> Vec<f64> {
    let mut drawn = Vec::with_capacity(sample.len());
    let mut values = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        redraw(sample, rng, &mut drawn);
        values.push(statistic(&drawn));
    }
    values.retain(|v| !v.is_nan());
    values
}

fn redraw<T: Copy>(sample: &[T], rng: &mut ChaCha12Rng, drawn: &mut Vec<T>) {
    drawn.clear();
    drawn.extend(sample.iter().map(|_| sample[rng.random_range(0..sample.len())]));
}

/// `statistic` of two independent samples with its 95% percentile interval, each sample resampled
/// by itself; `n` is the size of both together. Otherwise as [`interval`].
pub fn interval_of_two<T: Copy>(
    a: &[T],
    b: &[T],
    rng: &mut ChaCha12Rng,
    statistic: impl Fn(&[T], &[T]) -> f64,
) -> Estimate {
    let (mut drawn_a, mut drawn_b) = (Vec::new(), Vec::new());
    let mut values = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        redraw(a, rng, &mut drawn_a);
        redraw(b, rng, &mut drawn_b);
        values.push(statistic(&drawn_a, &drawn_b));
    }
    values.retain(|v| !v.is_nan());
    Estimate {
        value: statistic(a, b),
        low: quantile(&values, 0.025),
        high: quantile(&values, 0.975),
        n: a.len() + b.len(),
    }
}

/// `statistic` of `sample` with its 95% interval, corrected for bias and skewness (BCa)
/// \[Efron1987\]. NaN ends where the corrections are undefined: fewer than two values, all
/// resamples on one side of the statistic, or a statistic that is NaN when one value is left out.
pub fn corrected_interval<T: Copy>(
    sample: &[T],
    rng: &mut ChaCha12Rng,
    statistic: impl Fn(&[T]) -> f64,
) -> Estimate {
    let value = statistic(sample);
    let values = resampled(sample, rng, &statistic);
    let mut rest = sample.to_vec();
    let mut left_out = Vec::with_capacity(sample.len());
    for i in 0..sample.len() {
        rest.clear();
        rest.extend_from_slice(&sample[..i]);
        rest.extend_from_slice(&sample[i + 1..]);
        left_out.push(statistic(&rest));
    }
    let (low, high) = corrected_levels(value, &values, &left_out, 0.95);
    let end = |p: f64| if p.is_nan() { p } else { quantile(&values, p) };
    Estimate { value, low: end(low), high: end(high), n: sample.len() }
}

/// The quantiles of the resampled `values` that end a BCa interval of coverage `level`, from the
/// statistic on the sample and on the sample without each of its members.
fn corrected_levels(value: f64, values: &[f64], left_out: &[f64], level: f64) -> (f64, f64) {
    // Bias: where the statistic stands among the resamples, those equal to it by half.
    let below = values.iter().filter(|v| **v < value).count();
    let at_most = values.iter().filter(|v| **v <= value).count();
    let bias = normal_quantile((below + at_most) as f64 / (2 * values.len()) as f64);
    // Acceleration: a sixth of the skewness of the jackknife.
    let centre = mean(left_out);
    let power = |p: i32| left_out.iter().map(|v| (centre - v).powi(p)).sum::<f64>();
    let (squares, cubes) = (power(2), power(3));
    let acceleration = if squares == 0.0 { 0.0 } else { cubes / (6.0 * squares.powf(1.5)) };
    let corrected = |z: f64| {
        let shifted = bias + z;
        normal_cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    let z = normal_quantile(0.5 * (1.0 + level));
    (corrected(-z), corrected(z))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn covers_the_mean_about_as_often_as_it_says() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut covered = 0;
        for _ in 0..200 {
            let sample: Vec<f64> = (0..40).map(|_| rng.random::<f64>()).collect();
            let e = interval(&sample, &mut rng, mean);
            covered += usize::from(e.low <= 0.5 && 0.5 <= e.high);
        }
        // 200 draws at 0.95 have a standard deviation of 3; the percentile interval is a little
        // short at n = 40.
        assert!((180..=199).contains(&covered), "{covered}");
    }

    #[test]
    fn a_constant_sample_has_no_width() {
        let e = interval(&[2.0; 5], &mut ChaCha12Rng::seed_from_u64(0), mean);
        assert_eq!((e.value, e.low, e.high), (2.0, 2.0, 2.0));
    }

    #[test]
    fn the_interval_of_two_covers_their_difference() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let mut covered = 0;
        for _ in 0..200 {
            let a: Vec<f64> = (0..30).map(|_| rng.random::<f64>()).collect();
            let b: Vec<f64> = (0..50).map(|_| 1.0 + 2.0 * rng.random::<f64>()).collect();
            let e = interval_of_two(&a, &b, &mut rng, |a, b| mean(b) - mean(a));
            covered += usize::from(e.low <= 1.5 && 1.5 <= e.high);
        }
        assert!((180..=199).contains(&covered), "{covered}");
    }

    #[test]
    fn corrected_levels_match_reference_values() {
        let sample = [1.2, 0.3, 4.5, 2.2, 9.7, 0.8, 3.1, 1.9, 2.6, 5.0];
        let values: Vec<f64> =
            (0..101).map(|i| f64::from(i * 37 % 101) / 101.0 * 5.0 + 0.9).collect();
        let left_out: Vec<f64> = sample.iter().map(|v| (10.0 * mean(&sample) - v) / 9.0).collect();
        let (low, high) = corrected_levels(mean(&sample), &values, &left_out, 0.95);
        assert!((low - 0.027_953_114_184_454_852).abs() < 1e-12, "{low}");
        assert!((high - 0.978_519_647_112_959_7).abs() < 1e-12, "{high}");
    }

    #[test]
    fn the_corrected_interval_leans_with_the_skew() {
        // Squares are skewed to the right, and so are their means.
        let sample: Vec<f64> = (0..25).map(|i| f64::from(i * i)).collect();
        let seeded = || ChaCha12Rng::seed_from_u64(3);
        let plain = interval(&sample, &mut seeded(), mean);
        let corrected = corrected_interval(&sample, &mut seeded(), mean);
        assert_eq!((plain.value, plain.n), (corrected.value, corrected.n));
        assert!(
            corrected.low > plain.low && corrected.high > plain.high,
            "{plain:?} {corrected:?}"
        );
        assert!(corrected_interval(&[1.0], &mut seeded(), mean).low.is_nan());
        assert!(corrected_interval(&[1.0; 0], &mut seeded(), mean).low.is_nan());
        let constant = corrected_interval(&[2.0; 5], &mut seeded(), mean);
        assert_eq!((constant.low, constant.high), (2.0, 2.0));
    }
}
