//! Sizes of the difference between two samples, in [0, 1] or [−1, 1].

use crate::rank_tests::mann_whitney::MannWhitney;

/// P(a > b) + ½ P(a = b) for values drawn from the samples, Â₁₂ of \[Vargha2000\]; NaN if one is
/// empty or has a NaN.
///
/// ```
/// // Of the six pairs a is larger in five, and one is a tie.
/// assert_eq!(stats::effect::a12(&[2.0, 3.0, 4.0], &[1.0, 2.0]), 5.5 / 6.0);
/// ```
#[must_use]
pub fn a12(a: &[f64], b: &[f64]) -> f64 {
    let test = MannWhitney::new(a, b);
    test.u_a / (test.u_a + test.u_b)
}

/// P(a > b) − P(a < b) for values drawn from the samples, δ of \[Cliff1993\]; NaN if one is empty or
/// has a NaN.
///
/// ```
/// assert_eq!(stats::effect::cliffs_delta(&[2.0, 3.0], &[0.0, 1.0]), 1.0);
/// ```
#[must_use]
pub fn cliffs_delta(a: &[f64], b: &[f64]) -> f64 {
    let test = MannWhitney::new(a, b);
    (test.u_a - test.u_b) / (test.u_a + test.u_b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_pairs() {
        let (a, b) = ([1.0, 2.0, 2.0, 5.0], [2.0, 3.0]);
        // Above: 5 > 2, 5 > 3. Equal: twice 2 = 2. Below: 1 < 2, 1 < 3, twice 2 < 3.
        assert_eq!(a12(&a, &b), 3.0 / 8.0);
        assert_eq!(cliffs_delta(&a, &b), -2.0 / 8.0);
        assert_eq!(cliffs_delta(&a, &a), 0.0);
        assert_eq!(a12(&b, &[0.0]), 1.0);
        assert!(a12(&a, &[]).is_nan() && cliffs_delta(&[f64::NAN], &b).is_nan());
        assert!(a12(&[], &[f64::NAN]).is_nan());
    }
}
