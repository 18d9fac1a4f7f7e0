//! Computes Student's interval and test of a mean \[Student1908\].

use crate::{
    distribution::{t_quantile, t_two_sided},
    moments::{mean, variance},
};

/// The mean of some values with Student's interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudentMean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the values; NaN for fewer than two.
    pub deviation: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The mean divided by its standard error.
    pub t: f64,
    /// p of the two-sided test that the mean is 0.
    pub p: f64,
}

impl StudentMean {
    /// The mean of `values` with an interval of coverage `level`: NaN for fewer than two values, a point if
    /// all are equal.
    ///
    /// ```
    /// use stats::student::StudentMean;
    ///
    /// let found = StudentMean::new(&[1.0, 2.0, 3.0], 0.95);
    /// assert!((found.high - 4.484_138).abs() < 1e-6 && found.p < 0.08);
    /// ```
    #[must_use]
    pub fn new(values: &[f64], level: f64) -> Self {
        let (n, mean) = (values.len() as f64, mean(values));
        let deviation = variance(values).sqrt();
        let error = deviation / n.sqrt();
        let half =
            if error == 0.0 { 0.0 } else { t_quantile(f64::midpoint(1.0, level), n - 1.0) * error };
        let t = mean / error;
        let p = t_two_sided(t, n - 1.0);
        Self { mean, deviation, low: mean - half, high: mean + half, t, p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_no_interval_and_equal_ones_have_a_point() {
        let one = StudentMean::new(&[0.5], 0.95);
        assert!(one.mean == 0.5 && one.low.is_nan() && one.t.is_nan() && one.p.is_nan());
        let equal = StudentMean::new(&[0.5; 4], 0.95);
        assert_eq!((equal.low, equal.high, equal.t, equal.p), (0.5, 0.5, f64::INFINITY, 0.0));
    }
}
