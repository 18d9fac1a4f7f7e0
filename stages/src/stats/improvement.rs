//! The probability that one method does at least as well as another.

use rand_chacha::ChaCha12Rng;

use super::better::Better;
use super::bootstrap::{Estimate, interval_of_two};

/// Share of pairs in which a score of `a` is at least as good as one of `b`; NaN if one is empty.
/// Unlike [`a12`](super::effect::a12), equal scores count in full, and so P(a ≥ b) + P(b ≥ a) may
/// exceed 1. A NaN (a failed run) is not as good as anything.
#[must_use]
pub fn at_least_as_good(a: &[f64], b: &[f64], better: Better) -> f64 {
    let good = |x: f64, y: f64| better.ascending(x) <= better.ascending(y);
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
    pairs.filter(|(x, y)| good(*x, *y)).count() as f64 / (a.len() * b.len()) as f64
}

/// The same with its 95% percentile interval; both samples are resampled.
pub fn improvement(a: &[f64], b: &[f64], better: Better, rng: &mut ChaCha12Rng) -> Estimate {
    interval_of_two(a, b, rng, |a, b| at_least_as_good(a, b, better))
}
