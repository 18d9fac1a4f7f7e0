//! The range of k independent standard normal values: the studentised range with infinitely many
//! degrees of freedom.

use crate::distribution::normal_cdf;

/// Step of the trapezoidal rule. For a smooth integrand that decays like a normal density its error
/// falls as exp(−2π²/h²): far below rounding.
const STEP: f64 = 1.0 / 32.0;

/// Where the normal density has fallen below 1e-40.
const TAIL: f64 = 14.0;

/// P(range of `k` values ≥ `q`); NaN for fewer than two.
#[must_use]
pub fn range_sf(q: f64, k: usize) -> f64 {
    if k < 2 || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        return 1.0;
    }
    // P(range < q) = k ∫ φ(z) [Φ(z) − Φ(z−q)]^{k−1} dz over the largest value z, and its complement
    // is k ∫ φ(z) {Φ(z)^{k−1} − [Φ(z) − Φ(z−q)]^{k−1}} dz. With aⁿ − bⁿ = (a − b) Σ a^i b^{n−1−i}
    // all terms are positive, and a small tail keeps its leading digits.
    let integrand = |z: f64| {
        let below = normal_cdf(z - q);
        let (a, b) = (normal_cdf(z), normal_cdf(z) - below);
        let sum = (0..k - 1).fold((0.0, 1.0), |(sum, power), _| (sum * a + power, power * b)).0;
        (-0.5 * z * z).exp() * below * sum
    };
    let last = (2.0 * TAIL + q) / STEP;
    let mut total = 0.0;
    let mut i = 0.0;
    while i <= last {
        total += integrand(i * STEP - TAIL);
        i += 1.0;
    }
    let sf = k as f64 * STEP * total / std::f64::consts::TAU.sqrt();
    sf.min(1.0)
}

/// The q that the range of `k` values exceeds with probability `alpha`; NaN for fewer than two
/// values or an `alpha` outside (0, 1).
#[must_use]
pub fn range_quantile(alpha: f64, k: usize) -> f64 {
    if k < 2 || !(alpha > 0.0 && alpha < 1.0) {
        return f64::NAN;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while range_sf(high, k) > alpha {
        high *= 2.0;
    }
    // Halved until the ends are neighbours.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if range_sf(middle, k) > alpha { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::normal_sf;

    #[test]
    fn two_values_differ_by_a_normal_one() {
        // The range of two is |x − y| with x − y of variance 2.
        for q in [0.1, 1.0, 2.772, 5.0, 9.0, 20.0] {
            let exact = 2.0 * normal_sf(q / std::f64::consts::SQRT_2);
            let ours = range_sf(q, 2);
            assert!((ours - exact).abs() < 1e-13 * exact, "{q}: {ours} {exact}");
        }
    }

    #[test]
    fn quantiles_of_the_printed_table() {
        // Upper 5% and 1% points of the studentised range, infinite degrees of freedom
        // [Harter1960], to the printed digits.
        let printed = [
            (2, 2.772, 3.643),
            (3, 3.314, 4.120),
            (4, 3.633, 4.403),
            (5, 3.858, 4.603),
            (6, 4.030, 4.757),
            (7, 4.170, 4.882),
            (8, 4.286, 4.987),
            (9, 4.387, 5.078),
            (10, 4.474, 5.157),
            (20, 5.012, 5.645),
        ];
        for (k, five, one) in printed {
            for (alpha, q) in [(0.05, five), (0.01, one)] {
                let ours = range_quantile(alpha, k);
                assert!((ours - q).abs() <= 0.000_501, "{k} {alpha}: {ours} {q}");
                assert!((range_sf(ours, k) - alpha).abs() < 1e-14);
            }
        }
    }
}
