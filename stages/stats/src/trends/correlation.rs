//! Correlation of paired values.

use crate::{distribution::t_two_sided, moments::mean, rank_tests::ranks::ranks};

/// A correlation and how surprising it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coefficient, in [−1, 1]; NaN if one variable is constant or has a NaN, and for fewer than two
    /// pairs.
    pub r: f64,
    /// Two-sided p by Student's t with n − 2 degrees of freedom: exact for independent normal
    /// values, an approximation for ranks. 1 for two pairs, which always lie on a line.
    pub p: f64,
    /// Number of pairs.
    pub n: usize,
}

/// Pearson's correlation.
///
/// ```
/// let found = stats::trends::correlation::pearson(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (4.0, 8.1)]);
/// assert!(found.r > 0.99 && found.p < 0.01);
/// ```
#[must_use]
pub fn pearson(pairs: &[(f64, f64)]) -> Correlation {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let constant = |v: &[f64]| v.iter().all(|e| *e == v[0]);
    let n = pairs.len();
    if n < 2 || constant(&x) || constant(&y) {
        return Correlation { r: f64::NAN, p: f64::NAN, n };
    }
    let (mx, my) = (mean(&x), mean(&y));
    // Scaled, so that squares neither overflow nor underflow.
    let largest = |v: &[f64], m: f64| v.iter().fold(0.0_f64, |a, e| a.max((e - m).abs()));
    let (sx, sy) = (largest(&x, mx), largest(&y, my));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        let (a, b) = ((a - mx) / sx, (b - my) / sy);
        (xx, xy, yy) = (xx + a * a, xy + a * b, yy + b * b);
    }
    let r = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
    let df = n as f64 - 2.0;
    let p = if n == 2 { 1.0 + 0.0 * r } else { t_two_sided(r * (df / (1.0 - r * r)).sqrt(), df) };
    Correlation { r, p, n }
}

/// Spearman's correlation: Pearson's of the ranks.
///
/// ```
/// let found = stats::trends::correlation::spearman(&[(1.0, 1.0), (2.0, 8.0), (3.0, 27.0), (4.0, 64.0)]);
/// assert!((found.r - 1.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn spearman(pairs: &[(f64, f64)]) -> Correlation {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ranked: Vec<_> = ranks(&x).ranks.into_iter().zip(ranks(&y).ranks).collect();
    pearson(&ranked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(f64, f64); 7] =
        [(1.2, 2.0), (3.4, 3.1), (2.2, 3.1), (5.9, 4.0), (4.4, 6.2), (7.1, 5.5), (6.0, 7.7)];

    #[test]
    fn reference_values() {
        let (p, s) = (pearson(&PAIRS), spearman(&PAIRS));
        assert!((p.r - 0.744_303_704_225_936_7).abs() < 1e-13, "{p:?}");
        assert!((p.p - 0.055_020_810_294_285_66).abs() < 1e-12, "{p:?}");
        assert!((s.r - 0.810_843_716_426_003_2).abs() < 1e-13, "{s:?}");
        assert!((s.p - 0.026_916_328_843_161_995).abs() < 1e-12, "{s:?}");
    }

    #[test]
    fn scale_changes_nothing_and_monotone_curves_nothing_for_ranks() {
        let p = pearson(&PAIRS);
        for (a, b) in [(2.0, 1e3), (1e-200, 0.0), (1e200, 0.0)] {
            let other = pearson(&PAIRS.map(|(x, y)| (y, a * x + b)));
            assert!((other.r - p.r).abs() < 1e-12, "{a}: {other:?}");
        }
        assert!((pearson(&PAIRS.map(|(x, y)| (x, -y))).r + p.r).abs() < 1e-15);
        assert_eq!(spearman(&PAIRS.map(|(x, y)| (x.exp(), y.ln()))), spearman(&PAIRS));
    }

    #[test]
    fn the_undefined_and_the_certain() {
        for pairs in [&[][..], &[(1.0, 2.0)], &[(1.0, 2.0), (1.0, 3.0)], &[(0.0, f64::NAN); 3]] {
            assert!(pearson(pairs).r.is_nan() && spearman(pairs).p.is_nan(), "{pairs:?}");
        }
        let two = pearson(&[(1.0, 2.0), (2.0, 1.0)]);
        assert_eq!((two.r, two.p), (-1.0, 1.0));
        let line = pearson(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
        assert_eq!((line.r, line.p), (1.0, 0.0));
    }
}
