//! Branch-free exponential and logarithm over slices, for losses and kernels.
//!
//! Written so that the compiler can use vector registers: the system's `exp` and `log1p` work on one number
//! per call and cost more than a whole row of a dense data set.

use crate::linalg::simd_dispatch::wide;

const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding this to a small number rounds it to an integer in the low bits of the mantissa.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Taylor coefficients 1/k! of eˣ, highest degree first: below ln 2 / 2 degree 13 reaches an ulp.
const EXP: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// eˣ for x ≤ 709, within 2 ulp; below −708 the result is 0.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Not `max`, which would swallow NaN.
    let clipped = if x < -708.0 { -708.0 } else { x };
    let shifted = clipped.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let k = shifted - ROUNDER;
    let r = k.mul_add(-LN2_LOW, k.mul_add(-LN2_HIGH, clipped));
    let mut p = EXP[0];
    for c in &EXP[1..] {
        p = p.mul_add(r, *c);
    }
    let bits = shifted.to_bits().wrapping_sub(ROUNDER.to_bits());
    let scale = f64::from_bits(bits.wrapping_add(1023) << 52);
    if x < -708.0 { 0.0 } else { p * scale }
}

/// ln(1 + u) for 0 ≤ u ≤ 1, within 2 ulp: 2·artanh(s) by its series, with s = u/(2 + u), or for
/// the upper half of the range ln 2 + 2·artanh((u − 1)/(u + 3)), so that |s| < 0.18.
#[inline(always)]
pub(crate) fn ln_1p_unit(u: f64) -> f64 {
    const TERMS: usize = 11;
    let upper = u > 0.414;
    let (above, below) = if upper { (u - 1.0, u + 3.0) } else { (u, u + 2.0) };
    let s = above / below;
    let t = s * s;
    let mut p = 1.0 / (2.0 * TERMS as f64 + 1.0);
    for k in (0..TERMS).rev() {
        p = p.mul_add(t, 1.0 / (2.0 * k as f64 + 1.0));
    }
    let offset = if upper { std::f64::consts::LN_2 } else { 0.0 };
    (2.0 * s).mul_add(p, offset)
}

/// π/2 in three parts, the first two with zeros at the end: multiples of them are exact.
const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
/// Taylor coefficients of sin x / x in x², highest degree first.
const SIN: [f64; 8] = [
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];
/// Taylor coefficients of cos x in x², highest degree first.
const COS: [f64; 9] = [
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
    1.0,
];

/// sin x and cos x for |x| ≤ 10⁶, within 1e-15; NaN if x is not finite.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUNDER);
    let k = shifted - ROUNDER;
    let r = HALF_PI.into_iter().fold(x, |r, part| k.mul_add(-part, r));
    let square = r * r;
    let (mut sin, mut cos) = (SIN[0], COS[0]);
    for c in &SIN[1..] {
        sin = sin.mul_add(square, *c);
    }
    for c in &COS[1..] {
        cos = cos.mul_add(square, *c);
    }
    sin *= r;
    let quadrant = shifted.to_bits();
    let (s, c) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let s = if quadrant & 2 == 0 { s } else { -s };
    let c = if quadrant.wrapping_add(1) & 2 == 0 { c } else { -c };
    (s, c)
}

wide! {
    /// Replaces each tᵢ by eᵗⁱ; values must not exceed 709.
    pub fn exp_in_place['a]['a](values: &'a mut [f64]) -> () {
        for v in values {
            *v = exp(*v);
        }
    }
}

/// The logistic loss ψ(t) = ln(1 + e⁻ᵗ) and the weight σ(−t) = −ψ'(t).
#[inline(always)]
pub fn logistic(t: f64) -> (f64, f64) {
    let u = exp(-t.abs());
    let loss = (-t).max(0.0) + ln_1p_unit(u);
    let large = 1.0 / (1.0 + u);
    // σ(−t) is the small side for t ≥ 0.
    let weight = if t >= 0.0 { u * large } else { large };
    (loss, weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_ulp_of_the_systems() {
        for i in -70_000..2_000 {
            let x = f64::from(i) * 0.010_1;
            let reference = x.exp();
            assert!((exp(x) / reference - 1.0).abs() < 5e-16, "exp({x})");
        }
        assert_eq!(exp(-800.0), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn sine_and_cosine_are_the_systems() {
        for i in -200_000..200_000 {
            let x = f64::from(i) * 0.000_31;
            for x in [x, x * 10_000.0] {
                let (sin, cos) = sin_cos(x);
                assert!((sin - x.sin()).abs() < 1e-15, "sin {x}: {sin}");
                assert!((cos - x.cos()).abs() < 1e-15, "cos {x}: {cos}");
            }
        }
        assert!(sin_cos(f64::NAN).0.is_nan() && sin_cos(f64::INFINITY).1.is_nan());
    }

    #[test]
    fn ln_1p_is_within_two_ulp_of_the_systems() {
        for i in 1..=10_000 {
            let u = f64::from(i) * 1e-4;
            assert!((ln_1p_unit(u) / u.ln_1p() - 1.0).abs() < 5e-16, "ln_1p({u})");
        }
        assert_eq!(ln_1p_unit(0.0), 0.0);
        assert!((ln_1p_unit(1e-20) / 1e-20 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn logistic_loss_and_weight_in_both_tails() {
        for t in [-900.0_f64, -30.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 30.0, 900.0] {
            let (loss, weight) = logistic(t);
            let expected = if t > 0.0 { (-t).exp().ln_1p() } else { -t + t.exp().ln_1p() };
            assert!((loss - expected).abs() <= 1e-15 * expected.max(1e-300), "ψ({t})");
            let sigma = 1.0 / (1.0 + t.exp());
            assert!((weight - sigma).abs() <= 1e-15 * sigma.max(1e-300), "σ(−{t})");
        }
        assert!(logistic(f64::NAN).0.is_nan());
    }
}
