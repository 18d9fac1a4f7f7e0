//! Computes logarithms of normal probabilities to full relative precision: of thin slices, where a difference
//! of distribution functions would cancel, and far out in the tails, where these are 0 or 1.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use libm::{erf, erfc};

/// From here on the tail's continued fraction replaces the complementary error function.
const FAR: f64 = 8.0;
/// Levels of the continued fraction: enough for the last digit from [`FAR`] on.
const LEVELS: u32 = 40;
/// Terms of the series of a thin slice: enough for the last digit of the widest one.
const TERMS: u32 = 24;

/// ln of the standard normal density at z.
pub fn ln_density(z: f64) -> f64 {
    -0.5 * z * z - 0.5 * TAU.ln()
}

/// ln P(lower ≤ Z ≤ lower + width) for a standard normal Z; −∞ for a width of 0, NaN for a negative one.
///
/// The width is an argument of its own, since the difference of two ends is imprecise if they are near each
/// other.
///
/// ```
/// use models::density::normal_mass::{ln_density, ln_mass};
///
/// let half = ln_mass(0.0, 50.0).exp();
/// assert!((half - 0.5).abs() < 1e-15);
/// // A slice is as heavy as it is wide and high, however thin and however far out.
/// let (z, width) = (30.0, 1e-14);
/// assert!((ln_mass(z, width) - (ln_density(z) + f64::ln(width))).abs() < 1e-11);
/// ```
pub fn ln_mass(lower: f64, width: f64) -> f64 {
    if lower.is_nan() || width.is_nan() || width < 0.0 {
        return f64::NAN;
    }
    if width == 0.0 {
        return f64::NEG_INFINITY;
    }
    // By symmetry, with the middle not below 0.
    let lower = if lower + 0.5 * width < 0.0 { -lower - width } else { lower };
    let (middle, upper) = (lower + 0.5 * width, lower + width);
    if width <= 1.0 && width * upper <= 2.0 {
        thin(middle, 0.5 * width)
    } else if lower >= 0.0 {
        // The upper tail's share of the lower one's: at most a third.
        let share = ln_scaled_tail(upper) - ln_scaled_tail(lower) - width * middle;
        ln_scaled_tail(lower) - 0.5 * lower * lower + (-share.exp()).ln_1p()
    } else {
        let (left, right) = (-lower * FRAC_1_SQRT_2, upper * FRAC_1_SQRT_2);
        let outside = 0.5 * (erfc(left) + erfc(right));
        if outside < 0.5 { (-outside).ln_1p() } else { (0.5 * (erf(left) + erf(right))).ln() }
    }
}

/// ln P(|Z − middle| ≤ half) by the series Σ Heₙ(middle) halfⁿ/(n + 1)! over even n of the density's
/// mean over the slice, relative to the density in the middle.
fn thin(middle: f64, half: f64) -> f64 {
    let (step, square) = (middle * half, half * half);
    // Heₙ(middle) halfⁿ/n!
    let (mut before, mut term) = (0.0, 1.0);
    let mut mean = 1.0;
    for n in 0..TERMS {
        let next = (step * term - square * before) / f64::from(n + 1);
        (before, term) = (term, next);
        if n % 2 == 1 {
            mean += term / f64::from(n + 2);
        }
    }
    ln_density(middle) + (2.0 * half).ln() + mean.ln()
}

/// ln(e^{z²/2} P(Z > z)), z ≥ 0.
fn ln_scaled_tail(z: f64) -> f64 {
    if z < FAR {
        return (0.5 * erfc(z * FRAC_1_SQRT_2)).ln() + 0.5 * z * z;
    }
    // Laplace's continued fraction z + 1/(z + 2/(z + 3/…)).
    let fraction = (1..=LEVELS).rev().fold(z, |below, k| z + f64::from(k) / below);
    -fraction.ln() - 0.5 * TAU.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};

    /// (lower, width, ln mass) with 60 digits, rounded: slices, tails, and combinations of both.
    const EXACT: [(f64, f64, f64); 16] = [
        (-0.5, 1.0, -0.9599163336956223),
        (-0.25, 0.5, -1.622459064037205),
        (0.0, 1e-12, -28.54995964913322),
        (3.0, 1e-09, -26.142204371651083),
        (-3.0, 6.0, -0.002703447085475963),
        (1.0, 1.0, -1.9957982691807554),
        (1.99, 1.0, -3.8212421349895584),
        (2.0, 0.9, -3.868756705563489),
        (7.5, 1.0, -31.07618802808785),
        (7.9, 0.2, -34.425696662536815),
        (-9.0, 0.5, -39.20937339174401),
        (12.0, 3.0, -75.4106730015688),
        (30.0, 0.05, -454.57289171771544),
        (40.0, 0.2, -804.6087692534165),
        (-100.0, 2.0, -4807.504010108067),
        (-0.3, 20.0, -0.4814101615884812),
    ];

    #[test]
    fn masses_are_those_of_60_digits() {
        for (lower, width, exact) in EXACT {
            let mass = ln_mass(lower, width);
            // Five units in the last place of z²/2, plus 1e-14.
            let slack = 1e-14 + 1e-15 * exact.abs();
            assert!((mass - exact).abs() <= slack, "{lower} {width}: {mass} {exact}");
        }
    }

    #[test]
    fn what_is_no_interval_has_no_mass() {
        assert_eq!(ln_mass(3.0, 0.0), f64::NEG_INFINITY);
        assert!(ln_mass(f64::NAN, 1.0).is_nan() && ln_mass(0.0, f64::NAN).is_nan());
        assert!(ln_mass(0.0, -1.0).is_nan());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// Whichever branch computes the parts, they add up to the whole.
        #[test]
        fn parts_sum_to_the_whole(lower in -40.0..40.0_f64, ln_width in -12.0..4.0_f64, at in 0.01..0.99_f64) {
            let width = ln_width.exp();
            let parts = [ln_mass(lower, width * at), ln_mass(lower + width * at, width * (1.0 - at))];
            let (sum, whole) = (crate::density::mixture::ln_sum_exp(&parts), ln_mass(lower, width));
            // The point where the parts meet is rounded; the heavier part is off by as much.
            let slack = 1e-12 + 4.0 * f64::EPSILON * (1.0 + lower * lower) * (1.0 + 1.0 / width);
            prop_assert!((sum - whole).abs() < slack, "{sum} {whole}");
        }
    }
}
