//! Acquisition functions for minimisation.

use statrs::function::erf::erfc;

use crate::gp::Prediction;

/// Φ(z), the standard normal distribution function.
fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// φ(z), the standard normal density.
fn normal_pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

/// Logarithm of the expected improvement below `best` by more than `xi`, \[Jones1998\] eq. (15), for
/// minimisation. It does not underflow where an improvement is unlikely (\[Ament2023\]); −∞ where none is
/// possible. Its gradient does not depend on the unit of the losses, so that a search for its maximum still
/// makes progress at the end of a run, where improvements are small.
pub fn log_expected_improvement(mean: f64, deviation: f64, best: f64, xi: f64) -> f64 {
    let gain = best - mean - xi;
    if deviation > 0.0 {
        return deviation.ln() + Improvement::at(gain / deviation).log;
    }
    gain.max(0.0).ln()
}

/// Logarithm of the probability of an improvement below `best` by more than `xi`, for minimisation.
pub fn log_probability_of_improvement(mean: f64, deviation: f64, best: f64, xi: f64) -> f64 {
    let gain = best - mean - xi;
    if deviation <= 0.0 {
        return if gain > 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    let z = gain / deviation;
    if z > TAIL { normal_cdf(z).ln() } else { log_normal_pdf(z) - (-z + fraction(-z)).ln() }
}

/// Logarithm of expected improvement at a predicted point, and its gradient.
pub fn log_expected_improvement_with_gradient(
    p: &Prediction,
    best: f64,
    xi: f64,
) -> (f64, Vec<f64>) {
    let value = log_expected_improvement(p.mean, p.deviation, best, xi);
    let gain = best - p.mean - xi;
    let (by_mean, by_deviation) = if p.deviation > 0.0 {
        let at = Improvement::at(gain / p.deviation);
        (-at.cdf / p.deviation, at.pdf / p.deviation)
    } else {
        (if gain > 0.0 { -1.0 / gain } else { 0.0 }, 0.0)
    };
    let pairs = p.mean_gradient.iter().zip(&p.deviation_gradient);
    (value, pairs.map(|(m, d)| by_mean * m + by_deviation * d).collect())
}

/// Below this z, differences of nearly equal numbers are avoided.
const TAIL: f64 = -3.0;

/// h(z) = φ(z) + zΦ(z), the expected improvement for a standard deviation of 1.
struct Improvement {
    /// ln h.
    log: f64,
    /// Φ/h, the derivative of ln h.
    cdf: f64,
    /// φ/h.
    pdf: f64,
}

impl Improvement {
    fn at(z: f64) -> Self {
        if z > TAIL {
            let (cdf, pdf) = (normal_cdf(z), normal_pdf(z));
            let h = pdf + z * cdf;
            return Self { log: h.ln(), cdf: cdf / h, pdf: pdf / h };
        }
        // Φ(−t) = φ(t)/(t + k), and so h = φ k/(t + k).
        let (t, k) = (-z, fraction(-z));
        let pdf = (t + k) / k;
        Self { log: log_normal_pdf(z) - pdf.ln(), cdf: 1.0 / k, pdf }
    }
}

/// ln φ(z).
fn log_normal_pdf(z: f64) -> f64 {
    -0.5 * z * z - 0.5 * std::f64::consts::TAU.ln()
}

/// k(t) = 1/(t + 2/(t + 3/(t + …))) for t of 3 or more: Laplace's continued fraction of Mills' ratio is
/// 1/(t + k).
fn fraction(t: f64) -> f64 {
    // Fifty terms leave less than the rounding error.
    1.0 / (2..=50).rev().fold(t, |rest, n| t + f64::from(n) / rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::{Gp, GpSettings};
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    /// Expected improvement by its formula.
    fn improvement(mean: f64, deviation: f64, best: f64, xi: f64) -> f64 {
        let gain = best - mean - xi;
        let z = gain / deviation;
        gain * normal_cdf(z) + deviation * normal_pdf(z)
    }

    #[test]
    fn reference_values() {
        let expected_improvement =
            |mean, deviation, best, xi| log_expected_improvement(mean, deviation, best, xi).exp();
        // At mean = best the improvement is σ φ(0).
        assert!((expected_improvement(1.0, 2.0, 1.0, 0.0) - 0.797_884_560_802_865_4).abs() < 1e-12);
        // z = 1: σ (Φ(1) + φ(1)) = 1.083 315 470 587 7 for σ = 1.
        assert!((expected_improvement(0.0, 1.0, 1.0, 0.0) - 1.083_315_470_587_7).abs() < 1e-9);
        assert_eq!(expected_improvement(0.0, 0.0, 1.0, 0.25), 0.75);
        assert_eq!(expected_improvement(2.0, 0.0, 1.0, 0.0), 0.0);
        // ln Φ(1).
        let p = log_probability_of_improvement(0.0, 2.0, 2.5, 0.5);
        assert!((p.exp() - 0.841_344_746_068_543).abs() < 1e-10);
        assert_eq!(log_probability_of_improvement(0.0, 0.0, 1.0, 0.0), 0.0);
        assert_eq!(log_probability_of_improvement(1.0, 0.0, 1.0, 0.0), f64::NEG_INFINITY);
        // In 60 digits: ln(φ(z) + zΦ(z)) and ln Φ(z).
        for (z, improvement, probability) in [
            (1.0_f64, 0.080_026_218_849_306_9_f64, -0.172_753_779_023_449_9_f64),
            (-2.9, -7.520_846_492_887_874, -6.284_058_234_947_419),
            (-3.1, -8.227_329_393_572_749, -6.940_688_458_421_228),
            (-5.0, -16.744_301_162_660_99, -15.064_998_393_988_726),
            (-10.0, -55.553_122_036_122_36, -53.231_285_150_512_47),
            (-38.5, -749.347_274_207_823, -745.695_270_290_411),
            (-200.0, -20_011.515_648_259_74, -20_006.217_280_898_19),
        ] {
            // Outside the tail the values are as exact as the library's error function, which has ten digits.
            let within = if z > TAIL { 1e-8 } else { 1e-14 * improvement.abs() };
            let ours = log_expected_improvement(-z, 1.0, 0.0, 0.0);
            assert!((ours - improvement).abs() < within, "{z}: {ours}");
            let ours = log_probability_of_improvement(-z, 1.0, 0.0, 0.0);
            assert!((ours - probability).abs() < within, "{z}: {ours}");
        }
    }

    #[test]
    fn the_logarithm_is_that_of_the_improvement_and_tells_small_ones_apart() {
        for (mean, deviation, best, xi) in [
            (0.3, 0.7, 0.1, 0.0),
            (-2.0, 0.5, 1.0, 0.2),
            (3.0, 1.2, 0.0, 0.1),
            (5.0, 1.0, 0.0, 0.0),
        ] {
            let (log, plain) = (
                log_expected_improvement(mean, deviation, best, xi),
                improvement(mean, deviation, best, xi),
            );
            assert!((log.exp() - plain).abs() < 1e-9 * plain, "{mean}: {log} {plain}");
        }
        // Both underflow; the nearer one is the better.
        let [near, far] = [40.0, 41.0].map(|mean| log_expected_improvement(mean, 1.0, 0.0, 0.0));
        assert_eq!(improvement(40.0, 1.0, 0.0, 0.0), 0.0);
        assert!(near > far && far.is_finite());
        assert_eq!(log_expected_improvement(2.0, 0.0, 1.0, 0.0), f64::NEG_INFINITY);
        assert_eq!(log_expected_improvement(0.0, 0.0, 1.0, 0.0), 0.0);
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let x: Vec<Vec<f64>> =
            (0..6).map(|i| vec![f64::from(i) / 5.0, (f64::from(i) * 0.7).sin()]).collect();
        let y: Vec<f64> = x.iter().map(|p| (5.0 * p[0]).cos() + p[1]).collect();
        let gp = Gp::fit(&x, &y, GpSettings::default(), &mut rng).unwrap();
        let ei = |x: &[f64]| {
            log_expected_improvement_with_gradient(&gp.predict_with_gradient(x), 0.3, 0.01)
        };
        // The last ones lie far in the tail.
        for at in [[0.3, 0.4], [0.77, -0.2], [0.5, 0.9], [0.02, 0.05], [0.98, -0.3]] {
            let (_, g) = ei(&at);
            for i in 0..2 {
                let shift = |h: f64| {
                    let mut x = at;
                    x[i] += h;
                    ei(&x).0
                };
                let difference = (shift(1e-5) - shift(-1e-5)) / 2e-5;
                let scale = 1.0 + difference.abs();
                assert!(
                    (g[i] - difference).abs() < 1e-6 * scale,
                    "{at:?} {i}: {} {difference}",
                    g[i]
                );
            }
        }
    }
}
