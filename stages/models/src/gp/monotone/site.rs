//! The site of one observed sign: the Gaussian that replaces Φ(s d/v) under a Gaussian d, computed exactly
//! however much the two disagree.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Below this z the ratio φ/Φ and its differences with z, which would cancel, are computed from its continued
/// fraction.
const TAIL: f64 = -3.0;
/// Levels of the continued fraction; at z = −3 the rest is below 1e−20.
const LEVELS: u32 = 80;

/// Φ(z), by `libm`, whose error function is accurate to the last digits.
pub(super) fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// φ(z)/Φ(z) and the parts of it that a site needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// ln Φ(z).
    pub ln_cdf: f64,
    /// r = φ(z)/Φ(z).
    pub r: f64,
    /// w = r (z + r), in (0, 1).
    pub w: f64,
    /// 1 − w, without cancellation.
    pub rest: f64,
    /// r + z w, without cancellation.
    pub pull: f64,
}

impl Ratio {
    /// The parts at `z`.
    pub fn new(z: f64) -> Self {
        let ln_pdf = -0.5 * z * z - 0.5 * TAU.ln();
        if z < TAIL {
            // r = t + q with t = −z, q = 1/(t + b), b = 2/(t + 3/(t + 4/(t + …))). As q(t + b) = 1,
            // 1 − w = 1 − (t + q) q = q (b − q) and r + z w = q + t (1 − w).
            let t = -z;
            let b = (2..=LEVELS).rev().fold(0.0, |deeper, k| f64::from(k) / (t + deeper));
            let q = 1.0 / (t + b);
            let (r, rest) = (t + q, q * (b - q));
            return Self { ln_cdf: ln_pdf - r.ln(), r, w: 1.0 - rest, rest, pull: q + t * rest };
        }
        let cdf = normal_cdf(z);
        let r = ln_pdf.exp() / cdf;
        let w = r * (z + r);
        Self { ln_cdf: cdf.ln(), r, w, rest: 1.0 - w, pull: r + z * w }
    }
}

/// The site exp(−τd²/2 + νd) that gives a cavity the moments of its product with a sign's
/// likelihood, and the product's mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// τ, never negative: both branches of w are products of positive numbers.
    pub tau: f64,
    /// ν.
    pub nu: f64,
    /// ln ∫ N(d | mean, variance) Φ(s d/v) dd.
    pub ln_mass: f64,
}

/// The site of Φ(sign · d/step) in the cavity N(mean, variance), \[Riihimaki2010\] with
/// \[Rasmussen2006\] eq. (3.58); `sign` is ±1.
pub fn site(sign: f64, step: f64, mean: f64, variance: f64) -> Site {
    let width = (step * step + variance).sqrt();
    let ratio = Ratio::new(sign * mean / width);
    let spread = step * step + variance * ratio.rest;
    Site {
        tau: ratio.w / spread,
        // s r √(v² + σ²) + μ w, with μ = s z √(v² + σ²).
        nu: sign * width * ratio.pull / spread,
        ln_mass: ratio.ln_cdf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass, mean and variance of N(d | mean, variance) Φ(sign d/step), by the trapezoidal rule,
    /// which is exact to rounding for smooth functions that vanish at both ends.
    fn quadrature(sign: f64, step: f64, mean: f64, variance: f64) -> (f64, f64, f64) {
        let deviation = variance.sqrt();
        let n = 200_000_i32;
        let h = 24.0 * deviation / f64::from(n);
        let mut moments = [0.0; 3];
        for i in 0..=n {
            let d = mean - 12.0 * deviation + h * f64::from(i);
            let u = (d - mean) / deviation;
            let p =
                h * (-0.5 * u * u).exp() / (TAU.sqrt() * deviation) * normal_cdf(sign * d / step);
            moments[0] += p;
            moments[1] += p * (d - mean);
            moments[2] += p * (d - mean) * (d - mean);
        }
        let shift = moments[1] / moments[0];
        (moments[0], mean + shift, moments[2] / moments[0] - shift * shift)
    }

    #[test]
    fn a_site_gives_the_moments_of_quadrature() {
        for sign in [1.0, -1.0] {
            for (step, mean, variance) in [
                (0.3, 0.2, 1.0),
                (0.3, -1.1, 0.5),
                (1.0, 2.5, 2.0),
                (0.5, -3.5, 1.3),
                (0.2, 4.2, 1.1),
                (0.4, -5.0, 1.0),
            ] {
                let (mass, m, v) = quadrature(sign, step, mean, variance);
                let s = site(sign, step, mean, variance);
                let precision = 1.0 / variance + s.tau;
                let ours = ((mean / variance + s.nu) / precision, 1.0 / precision);
                assert!((s.ln_mass - mass.ln()).abs() < 1e-9, "{sign} {mean}");
                assert!((ours.0 - m).abs() < 1e-9, "{sign} {mean}: {} {m}", ours.0);
                assert!((ours.1 / v - 1.0).abs() < 1e-8, "{sign} {mean}: {} {v}", ours.1);
            }
        }
    }

    /// Asymptotic series at z = −t: r = t + 1/t − 2/t³ + 10/t⁵ − …, 1 − w = 1/t² − 6/t⁴ + 50/t⁶ − ….
    #[test]
    fn the_far_tail_follows_its_series() {
        for t in [1e2, 1e3, 1e5] {
            let ratio = Ratio::new(-t);
            let s = 1.0 / (t * t);
            let rest = s - 6.0 * s * s + 50.0 * s * s * s;
            assert!((ratio.rest / rest - 1.0).abs() < 600.0 * s * s * s + 1e-14, "{t}");
            let pull = (2.0 - 8.0 * s + 60.0 * s * s) / t;
            assert!((ratio.pull / pull - 1.0).abs() < 500.0 * s * s * s + 1e-14, "{t}");
            assert!((ratio.r / (t + (1.0 - 2.0 * s) / t) - 1.0).abs() < 20.0 * s * s * s + 1e-15);
        }
    }

    #[test]
    fn both_branches_agree_where_they_meet() {
        let (near, far) = (Ratio::new(TAIL), Ratio::new(TAIL - 1e-13));
        for (a, b) in [
            (near.ln_cdf, far.ln_cdf),
            (near.r, far.r),
            (near.w, far.w),
            (near.rest, far.rest),
            (near.pull, far.pull),
        ] {
            assert!((a / b - 1.0).abs() < 2e-12, "{a} {b}");
        }
        // A sign that is already known adds no information.
        assert_eq!(site(1.0, 1e-6, 60.0, 1.0), Site { tau: 0.0, nu: 0.0, ln_mass: 0.0 });
    }
}
