//! The confidence interval of a proportion.

use super::{bootstrap::Estimate, distribution::normal_quantile};

/// The share of `cases` that hold, with Wilson's 95% score interval \[Wilson1927\], which stays between 0 and
/// 1 and has a positive width even where all cases agree. NaN without cases.
///
/// ```
/// let found = stats::proportion::share(&[true; 8]);
/// // Eight of eight is no certainty.
/// assert!(found.value == 1.0 && found.low < 0.7);
/// ```
#[must_use]
pub fn share(cases: &[bool]) -> Estimate {
    let n = cases.len() as f64;
    let value = cases.iter().filter(|case| **case).count() as f64 / n;
    let z = normal_quantile(0.975);
    let (square, scale) = (z * z / n, 1.0 + z * z / n);
    let centre = (value + 0.5 * square) / scale;
    let half = z * (value * (1.0 - value) / n + 0.25 * square / n).sqrt() / scale;
    Estimate {
        value,
        // Where all cases agree the interval ends at exactly 0 or 1, without a rounding error.
        low: (centre - half).max(0.0).min(value),
        high: (centre + half).min(1.0).max(value),
        n: cases.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hits: usize, n: usize) -> Estimate {
        share(&(0..n).map(|i| i < hits).collect::<Vec<_>>())
    }

    #[test]
    fn published_intervals() {
        // Method 3 of [Newcombe1998], table I.
        for (hits, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = of(hits, n);
            let off = (found.low - low).abs().max((found.high - high).abs());
            assert!(off < 5e-5, "{hits} of {n}: {found:?}");
        }
    }

    #[test]
    fn shares_stay_shares() {
        for (hits, n) in [(0, 1), (1, 1), (2, 3), (40, 40), (0, 60)] {
            let found = of(hits, n);
            assert!(0.0 <= found.low && found.low <= found.value, "{found:?}");
            assert!(found.value <= found.high && found.high <= 1.0 && found.low < found.high);
        }
        assert!(share(&[]).value.is_nan());
    }
}
