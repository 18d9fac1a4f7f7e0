//! Heights of normal densities that are truncated to [0, 1], for all kernels of a column at once: most of what a fit
//! costs is the probability of the range, which takes the error function twice per kernel.

use numerics::linalg::{elementary::exp, simd_dispatch::wide};

/// √(2π)
const ROOT_TAU: f64 = 2.506_628_274_631_000_7;
/// From here on erf is 1 in every digit.
const FAR: f64 = 6.0;
/// z is mapped to u = t·RISE + SHIFT in [−1, 1], with t = NEAR/(NEAR + z).
const NEAR: f64 = 2.5;
const RISE: f64 = 1.0 / 0.352_941_176_470_588_26;
const SHIFT: f64 = -0.647_058_823_529_411_8 / 0.352_941_176_470_588_26;
/// e^(z²) · erfc(z) for 0 ≤ z ≤ FAR as a polynomial in u, highest degree first: its interpolation at the nodes of
/// Chebyshev, computed with 60 digits. The largest relative error is 2e-16.
const SCALED: [f64; 19] = [
    4.301_580_180_738_235e-11,
    -1.079_800_188_900_355_3e-10,
    -3.874_453_858_120_723e-10,
    2.272_912_668_377_293e-9,
    -1.022_904_494_464_142_2e-9,
    -2.590_097_203_219_551_3e-8,
    7.506_725_926_101_2e-8,
    1.907_643_575_978_213_7e-7,
    -1.445_005_556_566_852_4e-6,
    -5.738_124_107_328_782e-7,
    2.400_405_035_594_953e-5,
    -6.371_170_287_565_629e-6,
    -4.558_338_492_990_863e-4,
    -3.219_129_944_995_187_5e-4,
    1.036_210_031_009_480_7e-2,
    6.116_963_384_646_418e-2,
    1.910_573_370_384_278_7e-1,
    3.927_707_732_021_462_6e-1,
    3.454_020_476_563_210_4e-1,
];

/// erf(z) for z ≥ 0, within 1e-15 of the exact value; NaN stays.
#[inline(always)]
fn erf(z: f64) -> f64 {
    // Not `min`, which would swallow NaN.
    let near = if z > FAR { FAR } else { z };
    let u = (NEAR / (NEAR + near)).mul_add(RISE, SHIFT);
    let mut scaled = SCALED[0];
    for c in &SCALED[1..] {
        scaled = scaled.mul_add(u, *c);
    }
    1.0 - exp(-near * near) * scaled
}

wide! {
    /// 1/(√2π · width · probability of [0, 1]) of normal distributions, given their means and 1/width. Means lie in
    /// [0, 1]: the two parts of the probability are not negative, and nothing cancels.
    pub(super) fn heights['a]['a](means: &'a [f64], inverse: &'a [f64]) -> Vec<f64> {
        let mut heights = vec![0.0; means.len()];
        for ((height, mean), inverse) in heights.iter_mut().zip(means).zip(inverse) {
            let steep = inverse * std::f64::consts::FRAC_1_SQRT_2;
            let inside = 0.5 * (erf(mean * steep) + erf((1.0 - mean) * steep));
            *height = inverse / (ROOT_TAU * inside);
        }
        heights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_the_librarys() {
        for i in 0..=80_000 {
            let z = f64::from(i) * 1e-4;
            let (found, expected) = (erf(z), libm::erf(z));
            assert!((found - expected).abs() < 1e-15, "erf({z}): {found} {expected}");
        }
        assert!(erf(f64::NAN).is_nan());
        assert_eq!(erf(f64::INFINITY), 1.0);
    }

    #[test]
    fn a_height_makes_the_density_integrate_to_one() {
        for (mean, width) in [(0.0, 0.3), (0.9, 0.05), (0.4, 0.5), (1.0, 1.0), (0.5, 1e-6)] {
            let height = heights(&[mean], &[1.0 / width])[0];
            // The midpoint rule where the density is not negligible.
            let (from, to) = ((mean - 9.0 * width).max(0.0), (mean + 9.0 * width).min(1.0));
            let n = 20_000;
            let step = (to - from) / f64::from(n);
            let z = |i: i32| (f64::from(i) + 0.5).mul_add(step, from - mean) / width;
            let sum: f64 = (0..n).map(|i| (-0.5 * z(i) * z(i)).exp() * height * step).sum();
            assert!((sum - 1.0).abs() < 1e-7, "{mean} {width}: {sum}");
        }
    }
}
