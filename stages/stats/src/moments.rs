//! Mean and variance.

/// The mean; NaN for no values.
///
/// ```
/// assert_eq!(stats::moments::mean(&[1.0, 2.0, 6.0]), 3.0);
/// ```
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The unbiased variance; NaN for fewer than two values.
///
/// ```
/// assert_eq!(stats::moments::variance(&[1.0, 2.0, 6.0]), 7.0);
/// ```
#[must_use]
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::NAN;
    }
    let centre = mean(values);
    let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
    squares / (values.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_few_values() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(variance(&[1.0, 2.0, 6.0]), 7.0);
        assert_eq!(variance(&[1e9, 1e9 + 2.0]), 2.0);
        assert!(mean(&[]).is_nan() && variance(&[1.0]).is_nan());
    }
}
