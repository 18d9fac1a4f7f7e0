//! Computes bootstrap intervals from given resamples: percentile, basic, and corrected for bias and skewness
//! (BCa) \[Efron1987\].

use crate::{
    distribution::{normal_cdf, normal_quantile},
    moments::{mean, variance},
    order::quantile,
};

/// Values this near to the estimate, relative to 1 + its absolute value, count as equal to it: the order of
/// summation must not decide the rank of the estimate among them.
const EQUAL: f64 = 1e-12;

/// A statistic on a sample, on resamples of it, and on the sample without each of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct Resampled {
    /// The statistic on the sample.
    pub value: f64,
    /// The statistic on each resample.
    pub values: Vec<f64>,
    /// The statistic on the sample without each of its members; empty if the sample has one member.
    pub left_out: Vec<f64>,
}

impl Resampled {
    /// Computes the statistic of `sample` and of its resamples, each of which is a list of indices into it.
    ///
    /// ```
    /// use stats::{moments::mean, resampling::Resampled};
    ///
    /// let found = Resampled::new(&[1.0, 2.0, 6.0], &[vec![0, 0, 1], vec![2, 1, 0]], mean);
    /// assert_eq!((found.value, found.values.len(), found.left_out.len()), (3.0, 2, 3));
    /// ```
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn new(
        sample: &[f64],
        resamples: &[Vec<usize>],
        statistic: impl Fn(&[f64]) -> f64,
    ) -> Self {
        let value = statistic(sample);
        let of = |places: &Vec<usize>| {
            let drawn: Vec<f64> = places.iter().map(|&i| sample[i]).collect();
            let found = statistic(&drawn);
            let equal = (found - value).abs() <= EQUAL * (1.0 + value.abs());
            if equal { value } else { found }
        };
        let without = |i: usize| statistic(&[&sample[..i], &sample[i + 1..]].concat());
        let left_out =
            if sample.len() < 2 { Vec::new() } else { (0..sample.len()).map(without).collect() };
        Self { value, values: resamples.iter().map(of).collect(), left_out }
    }

    /// The standard deviation of the resampled values.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        variance(&self.values).sqrt()
    }

    /// z₀: the rank of the statistic among the resampled values, where those equal to it count half, as a
    /// normal quantile.
    #[must_use]
    pub fn bias(&self) -> f64 {
        let below = self.values.iter().filter(|v| **v < self.value).count();
        let at_most = self.values.iter().filter(|v| **v <= self.value).count();
        normal_quantile((below + at_most) as f64 / (2 * self.values.len()) as f64)
    }

    /// a: a sixth of the skewness of the jackknife; NaN if all its values are equal.
    #[must_use]
    pub fn acceleration(&self) -> f64 {
        let first = self.left_out.first();
        if self.left_out.iter().all(|v| Some(v) == first) {
            return f64::NAN;
        }
        let centre = mean(&self.left_out);
        let power = |p: i32| self.left_out.iter().map(|v| (centre - v).powi(p)).sum::<f64>();
        power(3) / (6.0 * power(2).powf(1.5))
    }

    /// The quantiles of the resampled values that end the corrected interval of coverage `level`.
    #[must_use]
    pub fn corrected_levels(&self, level: f64) -> (f64, f64) {
        let (bias, acceleration) = (self.bias(), self.acceleration());
        let z = normal_quantile(f64::midpoint(1.0, level));
        let corrected = |z: f64| {
            let shifted = bias + z;
            normal_cdf(bias + shifted / (1.0 - acceleration * shifted))
        };
        (corrected(-z), corrected(z))
    }

    /// The corrected interval (BCa) of coverage `level`; NaN where the corrections are undefined.
    #[must_use]
    pub fn corrected(&self, level: f64) -> (f64, f64) {
        let (low, high) = self.corrected_levels(level);
        let end = |p: f64| if p.is_nan() { p } else { quantile(&self.values, p) };
        (end(low), end(high))
    }

    /// The percentile interval of coverage `level`.
    #[must_use]
    pub fn percentile(&self, level: f64) -> (f64, f64) {
        let tail = f64::midpoint(1.0, -level);
        (quantile(&self.values, tail), quantile(&self.values, 1.0 - tail))
    }

    /// The basic interval of coverage `level`: the percentiles, reflected at the statistic.
    #[must_use]
    pub fn basic(&self, level: f64) -> (f64, f64) {
        let (low, high) = self.percentile(level);
        (2.0 * self.value - high, 2.0 * self.value - low)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Values and intervals shift with the sample, and mirror with it.
        #[test]
        fn intervals_follow_the_sample(
            sample in prop::collection::vec(-5.0..5.0_f64, 3..8),
            seed in prop::collection::vec(prop::collection::vec(0_usize..1000, 8), 20..40),
        ) {
            let n = sample.len();
            let resamples: Vec<Vec<usize>> =
                seed.iter().map(|r| r[..n].iter().map(|i| i % n).collect()).collect();
            let found = Resampled::new(&sample, &resamples, mean);
            let shifted: Vec<f64> = sample.iter().map(|v| v + 8.0).collect();
            let mirrored: Vec<f64> = sample.iter().map(|v| -v).collect();
            let moved = Resampled::new(&shifted, &resamples, mean);
            let turned = Resampled::new(&mirrored, &resamples, mean);
            for of in [Resampled::percentile, Resampled::basic] {
                let ((low, high), (a, b), (c, d)) = (of(&found, 0.9), of(&moved, 0.9), of(&turned, 0.9));
                prop_assert!(low <= high);
                prop_assert!((a - low - 8.0).abs() < 1e-9 && (b - high - 8.0).abs() < 1e-9);
                prop_assert!((c + high).abs() < 1e-9 && (d + low).abs() < 1e-9);
            }
            prop_assert!((found.bias() + turned.bias()).abs() < 1e-9);
        }
    }

    #[test]
    fn equal_values_have_a_point_and_no_correction() {
        let found = Resampled::new(&[0.5; 4], &[vec![0; 4], vec![1; 4]], mean);
        assert_eq!((found.percentile(0.95), found.basic(0.95)), ((0.5, 0.5), (0.5, 0.5)));
        assert!(found.bias() == 0.0 && found.corrected(0.95).0.is_nan());
    }
}
