//! Two one-sided tests (TOST): whether the means of two samples differ by less than what matters
//! \[Schuirmann1987\], with unequal variances after \[Welch1947\].

use super::distribution::t_sf;
use super::moments::{mean, variance};

/// The result of the tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equivalence {
    /// Mean of the first sample less mean of the second.
    pub difference: f64,
    /// Degrees of freedom; NaN if both samples are constant.
    pub df: f64,
    /// t of the test against a difference of `low` or less.
    pub t_low: f64,
    /// t of the test against a difference of `high` or more.
    pub t_high: f64,
    /// p of the test against a difference of `low` or less.
    pub p_low: f64,
    /// p of the test against a difference of `high` or more.
    pub p_high: f64,
}

impl Equivalence {
    /// p of equivalence: the larger of the two; NaN if either is.
    #[must_use]
    pub fn p(&self) -> f64 {
        if self.p_low > self.p_high { self.p_low } else { self.p_high + 0.0 * self.p_low }
    }

    /// A difference of means with the square of its standard error. A difference without spread counts as
    /// known: p is 0 within the bounds and 1 outside.
    fn of(difference: f64, square: f64, df: f64, low: f64, high: f64) -> Self {
        let t = |margin: f64| margin / square.sqrt();
        let p = |margin: f64| {
            if square == 0.0 && !margin.is_nan() {
                return if margin > 0.0 { 0.0 } else { 1.0 };
            }
            t_sf(t(margin), df)
        };
        let (above, below) = (difference - low, high - difference);
        let (t_low, t_high) = (t(above), -t(below));
        Self { difference, df, t_low, t_high, p_low: p(above), p_high: p(below) }
    }
}

/// Tests whether the difference of means lies between `low` and `high`. NaN for fewer than two
/// values in a sample. If both are constant the difference counts as known: p is 0 within the
/// bounds and 1 outside.
///
/// ```
/// use stats::equivalence::equivalence;
///
/// let (a, b) = ([1.0, 1.1, 0.9, 1.0], [1.0, 0.9, 1.1, 1.0]);
/// // Equal within a half, by much; within a hundredth that cannot be said.
/// assert!(equivalence(&a, &b, -0.5, 0.5).p() < 0.01);
/// assert!(equivalence(&a, &b, -0.01, 0.01).p() > 0.05);
/// ```
#[must_use]
pub fn equivalence(a: &[f64], b: &[f64], low: f64, high: f64) -> Equivalence {
    let (from_a, from_b) = (variance(a) / a.len() as f64, variance(b) / b.len() as f64);
    let square = from_a + from_b;
    let spread = |part: f64, n: usize| part * part / (n as f64 - 1.0);
    let df = square * square / (spread(from_a, a.len()) + spread(from_b, b.len()));
    Equivalence::of(mean(a) - mean(b), square, df, low, high)
}

/// The same for samples of equal variance. One value in a sample is enough if there are two in the other.
///
/// ```
/// use stats::equivalence::pooled_equivalence;
///
/// assert_eq!(pooled_equivalence(&[1.0, 1.1, 0.9], &[1.0, 0.9, 1.1], -1.0, 1.0).df, 4.0);
/// ```
#[must_use]
pub fn pooled_equivalence(a: &[f64], b: &[f64], low: f64, high: f64) -> Equivalence {
    let (m, n) = (a.len() as f64, b.len() as f64);
    let df = m + n - 2.0;
    // A single value has no variance of its own, and adds nothing to the common one.
    let squares =
        |sample: &[f64], n: f64| if n == 1.0 { 0.0 } else { (n - 1.0) * variance(sample) };
    let common = (squares(a, m) + squares(b, n)) / df;
    Equivalence::of(mean(a) - mean(b), common * (1.0 / m + 1.0 / n), df, low, high)
}

/// The same for pairs: a test of the mean of their differences.
///
/// ```
/// use stats::equivalence::paired_equivalence;
///
/// // Pairs that differ little tell more than samples that spread much.
/// let (before, after) = ([1.0, 5.0, 9.0], [1.1, 5.0, 8.9]);
/// assert!(paired_equivalence(&before, &after, -1.0, 1.0).p() < 0.01);
/// ```
#[must_use]
pub fn paired_equivalence(a: &[f64], b: &[f64], low: f64, high: f64) -> Equivalence {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let n = differences.len() as f64;
    Equivalence::of(mean(&differences), variance(&differences) / n, n - 1.0, low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 7] = [5.1, 4.9, 5.6, 5.8, 4.7, 5.3, 5.0];
    const Y: [f64; 5] = [5.4, 5.2, 4.8, 5.9, 5.5];

    #[test]
    fn reference_values() {
        for (low, high, p_low, p_high) in [
            (-0.5, 0.5, 0.090_419_355_713_650_6, 0.010_363_138_766_249_492),
            (-1.0, 0.4, 0.003_109_445_294_103_065, 0.020_608_576_803_580_16),
            (-0.1, 0.1, 0.598_387_609_628_421, 0.147_797_975_084_103_44),
        ] {
            let t = equivalence(&X, &Y, low, high);
            assert!((t.df - 8.594_489_047_389_45).abs() < 1e-12, "{}", t.df);
            assert!((t.p_low - p_low).abs() < 1e-12, "{} {p_low}", t.p_low);
            assert!((t.p_high - p_high).abs() < 1e-12, "{} {p_high}", t.p_high);
            assert_eq!(t.p(), t.p_low.max(t.p_high));
        }
    }

    #[test]
    fn samples_and_bounds_swap_together() {
        let (a, b) = (equivalence(&X, &Y, -0.3, 0.7), equivalence(&Y, &X, -0.7, 0.3));
        assert!((a.p_low - b.p_high).abs() < 1e-15 && (a.p_high - b.p_low).abs() < 1e-15);
    }

    #[test]
    fn a_single_value_shares_the_variance_of_the_others() {
        let t = pooled_equivalence(&[3.0], &[1.0, 2.0], -1.0, 1.0);
        assert_eq!(t.df, 1.0);
        assert!((t.t_low - 2.886_751_345_948_129).abs() < 1e-14, "{}", t.t_low);
        assert!((t.p_low - 0.106_147_807_504_828_3).abs() < 1e-14, "{}", t.p_low);
        assert!((t.p() - 2.0 / 3.0).abs() < 1e-14, "{}", t.p());
        for undefined in
            [pooled_equivalence(&[3.0], &[1.0], -1.0, 1.0), equivalence(&[3.0], &Y, -1.0, 1.0)]
        {
            assert!(undefined.p().is_nan());
        }
        assert!(pooled_equivalence(&[f64::NAN], &Y, -1.0, 1.0).p().is_nan());
    }

    #[test]
    fn the_undefined_and_the_known() {
        assert!(equivalence(&[1.0], &Y, -1.0, 1.0).p().is_nan());
        assert!(equivalence(&X, &[1.0, f64::NAN], -1.0, 1.0).p().is_nan());
        assert_eq!(equivalence(&[1.0; 3], &[1.5; 4], -1.0, 1.0).p(), 0.0);
        assert_eq!(equivalence(&[1.0; 3], &[2.0; 4], -1.0, 1.0).p(), 1.0);
    }
}
