//! Least-squares lines through points.

/// Least-squares slope of y on x; NaN for fewer than two different x.
///
/// ```
/// assert_eq!(stats::trends::regression::slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), 2.0);
/// ```
#[must_use]
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (sxy, sxx) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx) * (x - mx)));
    if sxx > 0.0 { sxy / sxx } else { f64::NAN }
}

/// R² of the least-squares line of y on x: the share of y's variance that it explains. NaN for fewer than two
/// different x or if all y are equal.
///
/// ```
/// assert_eq!(stats::trends::regression::determination(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), 1.0);
/// ```
#[must_use]
pub fn determination(points: &[(f64, f64)]) -> f64 {
    let back: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (y, x)).collect();
    slope(points) * slope(&back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slope_of_a_line() {
        let points: Vec<_> = (0..5).map(|i| (f64::from(i), 3.0 - 2.0 * f64::from(i))).collect();
        assert!((slope(&points) + 2.0).abs() < 1e-15);
        assert!(slope(&points[..1]).is_nan());
        assert!((determination(&points) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn determination_is_one_less_what_the_line_leaves() {
        // The line is 1 + x; it leaves 1, -2, 1 of (0, 2), (1, 0), (2, 4), whose variance sum is 8.
        let points = [(0.0, 2.0), (1.0, 0.0), (2.0, 4.0)];
        assert!((slope(&points) - 1.0).abs() < 1e-15);
        assert!((determination(&points) - 0.25).abs() < 1e-15);
        assert!(determination(&[(0.0, 1.0), (1.0, 1.0)]).is_nan());
    }
}
