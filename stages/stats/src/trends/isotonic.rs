//! A permutation test of whether y rises (or falls) with x, along any monotone curve \[Barlow1972\].

use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use crate::moments::mean;

/// The direction that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// y rises with x.
    Rising,
    /// y falls with x.
    Falling,
}

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsotonicTrend {
    /// Share of the variance of y that the best monotone curve explains, in [0, 1] (Ē²); NaN if y
    /// is constant or a value is NaN.
    pub explained: f64,
    /// Share of permutations of y, including the given order, that explain as much; NaN where `explained` is
    /// NaN.
    pub p: f64,
}

/// Tests `points` (x, y) against `permutations` random orders of y. Points at the same x form one step of the
/// curve.
///
/// ```
/// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
/// use stats::trends::isotonic::{Direction, isotonic_trend};
///
/// let points: Vec<(f64, f64)> = (0..8).map(|i| (f64::from(i), f64::from(i).sqrt())).collect();
/// let mut rng = ChaCha12Rng::seed_from_u64(1);
/// let found = isotonic_trend(&points, Direction::Rising, 999, &mut rng);
/// assert!((found.explained - 1.0).abs() < 1e-12 && found.p < 0.01);
/// ```
pub fn isotonic_trend(
    points: &[(f64, f64)],
    direction: Direction,
    permutations: usize,
    rng: &mut ChaCha12Rng,
) -> IsotonicTrend {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sizes: Vec<usize> = sorted.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
    let sign = if direction == Direction::Rising { 1.0 } else { -1.0 };
    let centre = mean(&sorted.iter().map(|p| p.1).collect::<Vec<_>>());
    let mut y: Vec<f64> = sorted.iter().map(|p| sign * (p.1 - centre)).collect();
    let total: f64 = y.iter().map(|v| v * v).sum();
    let defined = total > 0.0 && sorted.iter().all(|p| p.0.is_finite() && p.1.is_finite());
    if !defined || points.iter().all(|p| p.1 == points[0].1) {
        return IsotonicTrend { explained: f64::NAN, p: f64::NAN };
    }
    let observed = between(&y, &sizes);
    // Orders that differ only by rounding count as equal.
    let enough = observed - 1e-12 * total;
    let mut as_large = 1;
    for _ in 0..permutations {
        y.shuffle(rng);
        as_large += usize::from(between(&y, &sizes) >= enough);
    }
    IsotonicTrend {
        explained: (observed / total).min(1.0),
        p: as_large as f64 / (permutations + 1) as f64,
    }
}

/// Σ n ŷ² of the rising curve through centred values that come in groups of these sizes, by pooling
/// adjacent violators.
fn between(y: &[f64], sizes: &[usize]) -> f64 {
    let mut blocks: Vec<(f64, f64)> = Vec::with_capacity(sizes.len());
    let mut rest = y;
    for size in sizes {
        let (own, others) = rest.split_at(*size);
        let (mut sum, mut n) = (own.iter().sum::<f64>(), *size as f64);
        // Means in order: sum_before / n_before < sum / n.
        while let Some((before, n_before)) = blocks.pop_if(|(s, m)| *s * n >= sum * *m) {
            sum += before;
            n += n_before;
        }
        blocks.push((sum, n));
        rest = others;
    }
    blocks.iter().map(|(sum, n)| sum * sum / n).sum()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn test(points: &[(f64, f64)], direction: Direction) -> IsotonicTrend {
        isotonic_trend(points, direction, 4999, &mut ChaCha12Rng::seed_from_u64(7))
    }

    #[test]
    fn a_staircase_is_explained_in_full() {
        let points = [(1.0, 0.1), (2.0, 0.4), (3.0, 0.4), (4.0, 2.0), (5.0, 2.5), (6.0, 9.0)];
        let rising = test(&points, Direction::Rising);
        assert!((rising.explained - 1.0).abs() < 1e-12);
        // 2 of 720 orders are as good: 0.4 and 0.4 may change places.
        assert!((rising.p - 2.0 / 720.0).abs() < 0.003, "{rising:?}");
        // A falling curve through rising points is flat.
        let falling = test(&points, Direction::Falling);
        assert!(falling.explained.abs() < 1e-12 && falling.p == 1.0);
        let negated = points.map(|(x, y)| (x, -y));
        assert_eq!(test(&negated, Direction::Falling), rising);
    }

    #[test]
    fn violators_are_pooled() {
        // Means of the best rising curve: 1, (3 + 2) / 2 twice, 6. At x = 1 two points are one step.
        let points = [(1.0, 0.0), (1.0, 2.0), (2.0, 3.0), (3.0, 2.0), (4.0, 6.0)];
        let centre = 13.0 / 5.0;
        let square = |v: f64| (v - centre) * (v - centre);
        let between = 2.0 * square(1.0) + 2.0 * square(2.5) + square(6.0);
        let total: f64 = points.iter().map(|p| square(p.1)).sum();
        assert!((test(&points, Direction::Rising).explained - between / total).abs() < 1e-14);
    }

    #[test]
    fn without_a_trend_p_is_uniform() {
        let mut rng = ChaCha12Rng::seed_from_u64(11);
        let mut small = 0;
        for _ in 0..300 {
            let points: Vec<_> = (0..8).map(|i| (f64::from(i), rng.random::<f64>())).collect();
            let t = isotonic_trend(&points, Direction::Falling, 99, &mut rng);
            small += usize::from(t.p <= 0.2);
        }
        // 300 draws at 0.2: 60, standard deviation 7.
        assert!((39..=81).contains(&small), "{small}");
    }

    #[test]
    fn the_undefined_has_no_p() {
        for points in [&[][..], &[(1.0, 2.0)], &[(1.0, 0.1), (2.0, 0.1)], &[(0.0, f64::NAN); 2]] {
            let t = test(points, Direction::Rising);
            assert!(t.p.is_nan() && t.explained.is_nan(), "{points:?}");
        }
    }
}
