//! Normal distributions truncated to [0, 1].

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use statrs::function::erf::erfc;

/// erfc of more than this is below 2⁻⁵³, half of the distance from 1 to the next smaller number.
const NOTHING: f64 = 6.0;

/// A draw from N(mean, deviation²) given that it lies in [0, 1]; mean in [0, 1], deviation > 0. Drawn by
/// rejection, which keeps at least a third of the proposals.
pub fn draw(mean: f64, deviation: f64, rng: &mut ChaCha12Rng) -> f64 {
    loop {
        if deviation < 1.0 {
            let z: f64 = StandardNormal.sample(rng);
            let x = mean + deviation * z;
            if (0.0..=1.0).contains(&x) {
                return x;
            }
        } else {
            // A wide normal is nearly flat in [0, 1]: its density relative to that at the mean.
            let x: f64 = rng.random();
            let z = (x - mean) / deviation;
            if rng.random::<f64>() < (-0.5 * z * z).exp() {
                return x;
            }
        }
    }
}

/// P(0 ≤ X ≤ 1) for X from N(mean, deviation²).
pub fn mass(mean: f64, deviation: f64) -> f64 {
    let scale = deviation * std::f64::consts::SQRT_2;
    // Both tails are taken from the side on which they are small. From NOTHING on they take nothing from 1.
    let tail = |z: f64| if z > NOTHING { 0.0 } else { 0.5 * erfc(z) };
    1.0 - tail(mean / scale) - tail((1.0 - mean) / scale)
}

/// ln of the density of the truncated distribution at x in [0, 1], given the mass within.
pub fn ln_density(x: f64, mean: f64, deviation: f64, mass: f64) -> f64 {
    let z = (x - mean) / deviation;
    -0.5 * z * z - (deviation * std::f64::consts::TAU.sqrt() * mass).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn draws_follow_the_density() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for (mean, deviation) in [(0.0, 0.3), (0.9, 0.05), (0.4, 3.0), (1.0, 0.99)] {
            let inside = mass(mean, deviation);
            // The probability of [0, ½] by the midpoint rule.
            let n = 20_000;
            let step = 0.5 / f64::from(n);
            let at = |i: i32| ln_density((f64::from(i) + 0.5) * step, mean, deviation, inside);
            let half: f64 = (0..n).map(|i| at(i).exp() * step).sum();
            let below =
                (0..n).filter(|_| draw(mean, deviation, &mut rng) < 0.5).count() as f64 / 20_000.0;
            // Five standard deviations of the count.
            let slack = 5.0 * (half * (1.0 - half) / f64::from(n)).sqrt() + 1e-9;
            assert!((below - half).abs() <= slack, "{mean} {deviation}: {below} {half}");
        }
    }

    #[test]
    fn mass_of_known_intervals() {
        // The library's erfc is good to about 1e-12.
        assert!((mass(0.5, 0.5) - 0.682_689_492_137_086).abs() < 1e-10);
        assert!((mass(0.0, 1.0) - 0.341_344_746_068_543).abs() < 1e-10);
    }
}
