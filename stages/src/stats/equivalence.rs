//! Two one-sided tests (TOST): do two samples' means differ by less than what matters?
//! \[Schuirmann1987\], with unequal variances after \[Welch1947\].

use super::distribution::t_sf;
use super::moments::{mean, variance};

/// What the tests found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equivalence {
    /// Mean of the first sample less mean of the second.
    pub difference: f64,
    /// Welch's degrees of freedom; NaN if both samples are constant.
    pub df: f64,
    /// p of the test against a difference of `low` or less.
    pub p_low: f64,
    /// p of the test against a difference of `high` or more.
    pub p_high: f64,
}

impl Equivalence {
    /// p of equivalence: the larger of the two; NaN if one is.
    #[must_use]
    pub fn p(&self) -> f64 {
        if self.p_low > self.p_high { self.p_low } else { self.p_high + 0.0 * self.p_low }
    }
}

/// Tests whether the difference of means lies between `low` and `high`. NaN for fewer than two
/// values in a sample. If both are constant the difference counts as known: p is 0 within the
/// bounds and 1 outside.
#[must_use]
pub fn equivalence(a: &[f64], b: &[f64], low: f64, high: f64) -> Equivalence {
    let difference = mean(a) - mean(b);
    let (from_a, from_b) = (variance(a) / a.len() as f64, variance(b) / b.len() as f64);
    let square = from_a + from_b;
    let spread = |part: f64, n: usize| part * part / (n as f64 - 1.0);
    let df = square * square / (spread(from_a, a.len()) + spread(from_b, b.len()));
    let p = |margin: f64| {
        if square == 0.0 && !margin.is_nan() {
            return if margin > 0.0 { 0.0 } else { 1.0 };
        }
        t_sf(margin / square.sqrt(), df)
    };
    Equivalence { difference, df, p_low: p(difference - low), p_high: p(high - difference) }
}
