//! Slice sampling \[Neal2003\] by stepping out and shrinking, of one number or of a vector along its
//! coordinates or a random direction.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Settings of a slice sampler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// First width of the interval around the slice, and of each step out.
    pub width: f64,
    /// Maximum number of steps out on each side.
    pub steps: usize,
}

impl Default for Slice {
    fn default() -> Self {
        Self { width: 1.0, steps: 1000 }
    }
}

impl Slice {
    /// One update of a number that is at 0 with ln density `current` (up to a constant, finite): returns the
    /// new value and the ln density there. A density that is NaN counts as 0.
    pub fn update(
        &self,
        current: f64,
        rng: &mut ChaCha12Rng,
        mut ln_density: impl FnMut(f64) -> f64,
    ) -> (f64, f64) {
        let level = current + (1.0 - rng.random::<f64>()).ln();
        let mut low = -self.width * rng.random::<f64>();
        let mut high = low + self.width;
        for (end, step) in [(&mut low, -self.width), (&mut high, self.width)] {
            for _ in 0..self.steps {
                let inside = ln_density(*end) > level;
                if !inside {
                    break;
                }
                *end += step;
            }
        }
        loop {
            let t = low + (high - low) * rng.random::<f64>();
            let found = ln_density(t);
            if found > level {
                return (t, found);
            }
            // The slice has shrunk to the point itself, for example if the density is a spike.
            if t == 0.0 || high - low < 1e-14 * self.width {
                return (0.0, current);
            }
            if t < 0.0 {
                low = t;
            } else {
                high = t;
            }
        }
    }

    /// Updates each coordinate once, in random order. Returns the ln density at the new point.
    pub fn coordinates(
        &self,
        x: &mut [f64],
        mut current: f64,
        rng: &mut ChaCha12Rng,
        mut ln_density: impl FnMut(&[f64]) -> f64,
    ) -> f64 {
        for i in shuffled(x.len(), rng) {
            let start = x[i];
            let (t, found) = self.update(current, rng, |t| {
                x[i] = start + t;
                ln_density(x)
            });
            x[i] = start + t;
            current = found;
        }
        current
    }

    /// One update along a random direction. Returns the ln density at the new point.
    pub fn direction(
        &self,
        x: &mut [f64],
        current: f64,
        rng: &mut ChaCha12Rng,
        mut ln_density: impl FnMut(&[f64]) -> f64,
    ) -> f64 {
        let mut d: Vec<f64> = x.iter().map(|_| StandardNormal.sample(rng)).collect();
        let length = d.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in &mut d {
            *v /= length;
        }
        let start = x.to_vec();
        let place = |x: &mut [f64], t: f64| {
            x.iter_mut().zip(&start).zip(&d).for_each(|((x, s), d)| *x = s + t * d);
        };
        let (t, found) = self.update(current, rng, |t| {
            place(x, t);
            ln_density(x)
        });
        place(x, t);
        found
    }
}

/// 0 … n − 1 in random order.
pub fn shuffled(n: usize, rng: &mut ChaCha12Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    order
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Mean and variance of f along a chain, each with a standard error from 50 batches.
    fn moments(values: &[f64]) -> [(f64, f64); 2] {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let whole = mean(values);
        let squares: Vec<f64> = values.iter().map(|v| (v - whole) * (v - whole)).collect();
        [values, squares.as_slice()].map(|list| {
            let means: Vec<f64> = list.chunks(list.len() / 50).map(mean).collect();
            let centre = mean(&means);
            let spread = means.iter().map(|m| (m - centre) * (m - centre)).sum::<f64>() / 49.0;
            (centre, (spread / 50.0).sqrt())
        })
    }

    fn check(values: &[f64], mean: f64, variance: f64) {
        for ((found, error), expected) in moments(values).into_iter().zip([mean, variance]) {
            assert!((found - expected).abs() < 4.0 * error, "{found} ± {error}, {expected}");
            assert!(
                error < 0.05 * variance.sqrt().max(variance),
                "the chain is too short: {error}"
            );
        }
    }

    #[test]
    fn a_number_comes_from_its_density() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        // A gamma distribution of shape 3, with a hard end at 0, sampled by stepping out and by mostly
        // shrinking: mean 3, variance 3.
        for width in [0.3, 30.0] {
            let slice = Slice { width, ..Slice::default() };
            let density = |x: f64| if x > 0.0 { 2.0 * x.ln() - x } else { f64::NEG_INFINITY };
            let (mut x, mut chain) = (1.0, Vec::new());
            for _ in 0..40_000 {
                x += slice.update(density(x), &mut rng, |t| density(x + t)).0;
                chain.push(x);
            }
            check(&chain, 3.0, 3.0);
        }
    }

    #[test]
    fn a_vector_comes_from_its_density_along_coordinates_and_directions() {
        let mut rng = ChaCha12Rng::seed_from_u64(6);
        // A normal distribution with variances 1 and 4 and correlation 0.6, around (2, -1).
        let density = |x: &[f64]| {
            let (a, b) = (x[0] - 2.0, (x[1] + 1.0) / 2.0);
            -(a * a - 1.2 * a * b + b * b) / (2.0 * 0.64)
        };
        for by_coordinates in [true, false] {
            let (slice, mut x) = (Slice::default(), [0.0, 0.0]);
            let (mut current, mut chain) = (density(&x), Vec::new());
            for _ in 0..60_000 {
                current = if by_coordinates {
                    slice.coordinates(&mut x, current, &mut rng, density)
                } else {
                    slice.direction(&mut x, current, &mut rng, density)
                };
                assert_eq!(current, density(&x));
                chain.push(x);
            }
            let column = |j: usize| chain.iter().map(|x| x[j]).collect::<Vec<_>>();
            check(&column(0), 2.0, 1.0);
            check(&column(1), -1.0, 4.0);
            let products: Vec<f64> = chain.iter().map(|x| (x[0] - 2.0) * (x[1] + 1.0)).collect();
            let [(covariance, error), _] = moments(&products);
            assert!((covariance - 1.2).abs() < 4.0 * error, "{covariance} ± {error}");
        }
    }

    #[test]
    fn a_spike_and_nan_end_where_they_began() {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let slice = Slice::default();
        let spike = |t: f64| if t == 0.0 { 0.0 } else { f64::NAN };
        assert_eq!(slice.update(0.0, &mut rng, spike), (0.0, 0.0));
    }
}
