//! Bootstrap confidence intervals.

use rand::RngExt;
use rand_chacha::ChaCha12Rng;

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

/// `statistic` of `sample` with its 95% percentile interval [Efron1979]. An empty sample gives NaN;
/// resamples on which the statistic is NaN are left out.
pub fn interval<T: Copy>(
    sample: &[T],
    rng: &mut ChaCha12Rng,
    statistic: impl Fn(&[T]) -> f64,
) -> Estimate {
    let value = statistic(sample);
    let mut resampled = Vec::with_capacity(sample.len());
    let mut values = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        resampled.clear();
        resampled.extend(sample.iter().map(|_| sample[rng.random_range(0..sample.len())]));
        let drawn = statistic(&resampled);
        if !drawn.is_nan() {
            values.push(drawn);
        }
    }
    Estimate {
        value,
        low: quantile(&values, 0.025),
        high: quantile(&values, 0.975),
        n: sample.len(),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

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
}
