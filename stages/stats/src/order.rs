//! Medians and quantiles.

/// The `p`-quantile, 0 ≤ p ≤ 1, linear between order statistics (Hyndman and Fan's type 7); NaN
/// for no values. Values must not be NaN.
///
/// ```
/// assert_eq!(stats::order::quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
/// ```
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = p.clamp(0.0, 1.0) * last as f64;
    let below = at.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let weight = at - at.floor();
    // Equal ends also cover infinities, whose difference is NaN.
    if low == high || weight == 0.0 { low } else { low + weight * (high - low) }
}

/// The median; NaN for no values, and between infinities of both signs.
///
/// ```
/// assert_eq!(stats::order::median(&[4.0, 1.0, 2.0]), 2.0);
/// ```
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let median = quantile(values, 0.5);
    // Half of the way from -∞ to a number is not defined; the mean of the two is -∞.
    if median.is_nan() { middle(values) } else { median }
}

/// The mean of the two values in the middle, of which one is infinite.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    half.checked_sub(1).map_or(f64::NAN, |below| 0.5 * sorted[below] + 0.5 * sorted[half])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_and_bear_infinities() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75);
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
        assert_eq!(median(&[1.0, 2.0, f64::INFINITY]), 2.0);
        assert!(median(&[]).is_nan());
        assert_eq!(median(&[f64::NEG_INFINITY, 0.75]), f64::NEG_INFINITY);
        assert_eq!(median(&[0.75, f64::INFINITY]), f64::INFINITY);
        assert_eq!(median(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
        assert!(median(&[f64::NEG_INFINITY, f64::INFINITY]).is_nan());
    }
}
