//! Acquisition functions for minimisation. Knows no process: mean and deviation are given.

use statrs::function::erf::erfc;

use super::gp::Prediction;

/// Φ(z), the standard normal distribution function.
fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

/// φ(z), the standard normal density.
fn normal_pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

/// Expected improvement below `best` by more than `xi`, \[Jones1998\] eq. (15), for minimisation.
pub fn expected_improvement(mean: f64, deviation: f64, best: f64, xi: f64) -> f64 {
    let gain = best - mean - xi;
    let uncertain = deviation > 0.0;
    if !uncertain {
        return gain.max(0.0);
    }
    let z = gain / deviation;
    gain * normal_cdf(z) + deviation * normal_pdf(z)
}

/// Probability of an improvement below `best` by more than `xi`, for minimisation.
pub fn probability_of_improvement(mean: f64, deviation: f64, best: f64, xi: f64) -> f64 {
    let gain = best - mean - xi;
    if deviation > 0.0 { normal_cdf(gain / deviation) } else { f64::from(u8::from(gain > 0.0)) }
}

/// Expected improvement and its gradient at a predicted point.
pub fn expected_improvement_with_gradient(p: &Prediction, best: f64, xi: f64) -> (f64, Vec<f64>) {
    let value = expected_improvement(p.mean, p.deviation, best, xi);
    let (by_mean, by_deviation) = if p.deviation > 0.0 {
        let z = (best - p.mean - xi) / p.deviation;
        (-normal_cdf(z), normal_pdf(z))
    } else {
        (if value > 0.0 { -1.0 } else { 0.0 }, 0.0)
    };
    let pairs = p.mean_gradient.iter().zip(&p.deviation_gradient);
    (value, pairs.map(|(m, d)| by_mean * m + by_deviation * d).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::gp::{Gp, GpSettings};
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn reference_values() {
        // At mean = best the improvement is σ φ(0).
        assert!((expected_improvement(1.0, 2.0, 1.0, 0.0) - 0.797_884_560_802_865_4).abs() < 1e-12);
        // z = 1: σ (Φ(1) + φ(1)) = 1.083 315 470 587 7 for σ = 1.
        assert!((expected_improvement(0.0, 1.0, 1.0, 0.0) - 1.083_315_470_587_7).abs() < 1e-9);
        assert_eq!(expected_improvement(0.0, 0.0, 1.0, 0.25), 0.75);
        assert_eq!(expected_improvement(2.0, 0.0, 1.0, 0.0), 0.0);
        // Φ(1).
        let p = probability_of_improvement(0.0, 2.0, 2.5, 0.5);
        assert!((p - 0.841_344_746_068_543).abs() < 1e-10);
        assert_eq!(probability_of_improvement(0.0, 0.0, 1.0, 0.0), 1.0);
        assert_eq!(probability_of_improvement(1.0, 0.0, 1.0, 0.0), 0.0);
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let mut rng = ChaCha12Rng::seed_from_u64(4);
        let x: Vec<Vec<f64>> =
            (0..6).map(|i| vec![f64::from(i) / 5.0, (f64::from(i) * 0.7).sin()]).collect();
        let y: Vec<f64> = x.iter().map(|p| (5.0 * p[0]).cos() + p[1]).collect();
        let gp = Gp::fit(&x, &y, GpSettings::default(), &mut rng).unwrap();
        let ei =
            |x: &[f64]| expected_improvement_with_gradient(&gp.predict_with_gradient(x), 0.3, 0.01);
        for at in [[0.3, 0.4], [0.77, -0.2], [0.5, 0.9]] {
            let (_, g) = ei(&at);
            for i in 0..2 {
                let shift = |h: f64| {
                    let mut x = at;
                    x[i] += h;
                    ei(&x).0
                };
                let difference = (shift(1e-5) - shift(-1e-5)) / 2e-5;
                assert!((g[i] - difference).abs() < 1e-6, "{at:?} {i}: {} {difference}", g[i]);
            }
        }
    }
}
