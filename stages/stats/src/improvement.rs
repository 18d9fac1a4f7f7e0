//! The probability that one method does at least as well as another.

use rand_chacha::ChaCha12Rng;

use super::better::Better;
use super::bootstrap::{Estimate, interval_of_two};

/// Share of pairs in which a score of `a` is at least as good as one of `b`; NaN if one is empty. Unlike
/// [`a12`](super::effect::a12), equal scores count in full, so P(a ≥ b) + P(b ≥ a) can exceed 1. A NaN (a
/// failed run) is not as good as anything.
///
/// ```
/// use stats::{better::Better, improvement::at_least_as_good};
///
/// assert_eq!(at_least_as_good(&[0.1, 0.2], &[0.3, 0.4], Better::Lower), 1.0);
/// ```
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

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn equal_scores_count_in_full() {
        let (a, b) = ([1.0, 2.0, f64::NAN], [2.0, 3.0]);
        assert_eq!(at_least_as_good(&a, &b, Better::Higher), 1.0 / 6.0);
        assert_eq!(at_least_as_good(&a, &b, Better::Lower), 4.0 / 6.0);
        assert!(at_least_as_good(&a, &[], Better::Lower).is_nan());
    }

    #[test]
    fn the_interval_is_seeded_and_holds_the_value() {
        let a: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
        let b: Vec<f64> = a.iter().map(|v| v + 2.5).collect();
        let of = |seed| improvement(&a, &b, Better::Higher, &mut ChaCha12Rng::seed_from_u64(seed));
        let e = of(1);
        assert_eq!(e, of(1));
        assert!(e.low < e.value && e.value < e.high && (e.low, e.high) != (of(2).low, of(2).high));
        // Pairs with x >= y + 2.5: differences 3..=19, 20 − d pairs each.
        assert_eq!(e.value, f64::from((1..=17).sum::<i32>()) / 400.0);
        let sure = improvement(&b, &[0.0; 4], Better::Higher, &mut ChaCha12Rng::seed_from_u64(1));
        assert_eq!((sure.value, sure.low, sure.high, sure.n), (1.0, 1.0, 1.0, 24));
    }
}
