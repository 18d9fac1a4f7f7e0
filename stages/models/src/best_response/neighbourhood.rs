//! Represents normal perturbations ε of λ by finitely many weighted points, for expectations without
//! sampling.

use numerics::linalg::elementary::exp;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Points λ₀ + ε with their probabilities, which sum to 1.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    /// The points one after another, n numbers each.
    points: Vec<f64>,
    weights: Vec<f64>,
    hypers: usize,
}

/// Steps on either side of λ₀ and their length in standard deviations: for smooth functions that grow at most
/// like e^{3|ε|/σ} the rule is accurate to double precision.
const STEPS: (i32, f64) = (100, 0.1);

impl Neighbourhood {
    /// λ₀ ± √n σ along each axis: 2n points with the mean and the covariance σ²I of the normal law,
    /// hence exact for the expectation of every polynomial of degree at most 3.
    #[must_use]
    pub fn cross(centre: &[f64], deviation: f64) -> Self {
        let n = centre.len();
        let reach = deviation * (n as f64).sqrt();
        let mut points = Vec::with_capacity(2 * n * n);
        for axis in 0..n {
            for side in [-reach, reach] {
                let at = |(i, l): (usize, &f64)| if i == axis { l + side } else { *l };
                points.extend(centre.iter().enumerate().map(at));
            }
        }
        Self { points, weights: vec![0.5 / n as f64; 2 * n], hypers: n }
    }

    /// The trapezoidal rule for one hyper-parameter.
    #[must_use]
    pub fn line(centre: f64, deviation: f64) -> Self {
        let (steps, length) = STEPS;
        let at = |i: i32| f64::from(i) * length;
        let density: Vec<f64> = (-steps..=steps).map(|i| exp(-0.5 * at(i) * at(i))).collect();
        let total: f64 = density.iter().sum();
        Self {
            points: (-steps..=steps).map(|i| centre + deviation * at(i)).collect(),
            weights: density.iter().map(|d| d / total).collect(),
            hypers: 1,
        }
    }

    /// `count` independent draws of equal probability.
    #[must_use]
    pub fn draw(centre: &[f64], deviation: f64, count: usize, rng: &mut ChaCha12Rng) -> Self {
        let mut points = Vec::with_capacity(count * centre.len());
        for _ in 0..count {
            points.extend(centre.iter().map(|l| {
                let z: f64 = StandardNormal.sample(&mut *rng);
                l + deviation * z
            }));
        }
        Self { points, weights: vec![1.0 / count as f64; count], hypers: centre.len() }
    }

    /// Each point with its probability.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.points.chunks_exact(self.hypers).zip(self.weights.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn mean(of: &Neighbourhood, f: impl Fn(&[f64]) -> f64) -> f64 {
        of.iter().map(|(point, weight)| weight * f(point)).sum()
    }

    #[test]
    fn a_cross_has_the_moments_up_to_the_third() {
        let (centre, s) = ([1.0, -2.0, 0.5], 0.7);
        let at = Neighbourhood::cross(&centre, s);
        assert!((mean(&at, |_| 1.0) - 1.0).abs() < 1e-15);
        for i in 0..3 {
            assert!((mean(&at, |p| p[i]) - centre[i]).abs() < 1e-14);
            for j in 0..3 {
                let product = |p: &[f64]| (p[i] - centre[i]) * (p[j] - centre[j]);
                let exact = if i == j { s * s } else { 0.0 };
                assert!((mean(&at, product) - exact).abs() < 1e-14);
                assert!(mean(&at, |p| product(p) * (p[0] - centre[0])).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_line_integrates_smooth_functions_to_rounding() {
        for s in [0.01, 0.5, 2.0] {
            let at = Neighbourhood::line(0.3, s);
            // E e^X = e^{μ + σ²/2}, E cos X = cos(μ) e^{−σ²/2}, E (X − μ)⁴ = 3σ⁴.
            let growth = mean(&at, |p| p[0].exp()) / (0.3 + 0.5 * s * s).exp();
            assert!((growth - 1.0).abs() < 1e-13, "{s}: {growth}");
            let wave = mean(&at, |p| p[0].cos()) - 0.3_f64.cos() * (-0.5 * s * s).exp();
            assert!(wave.abs() < 1e-14);
            assert!((mean(&at, |p| (p[0] - 0.3).powi(4)) / s.powi(4) - 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn draws_have_the_deviation_asked_for() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let at = Neighbourhood::draw(&[3.0, -1.0], 0.5, 40_000, &mut rng);
        // Five standard errors.
        assert!((mean(&at, |p| p[0]) - 3.0).abs() < 5.0 * 0.5 / 200.0);
        assert!(
            (mean(&at, |p| (p[1] + 1.0).powi(2)) - 0.25).abs()
                < 5.0 * 0.25 * 2.0_f64.sqrt() / 200.0
        );
    }
}
