//! Random Fourier features of the RBF kernel \[Rahimi2007\]: z(x)·z(y) is near exp(−γ‖x − y‖²).
//!
//! It uses the cosine and sine of each frequency, rather than the cosine of a shifted phase: with the same
//! number of features the products vary less \[Sutherland2015\], and ‖z(x)‖ is 1.

use ndarray::{Array2, ArrayView2, Axis};
use numerics::linalg::{elementary::sin_cos, simd_dispatch::wide};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;

use super::panels::{LANES, Panels, ROWS, tile};

/// Number of rows whose features are computed together.
const BLOCK: usize = 64;

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
pub enum FourierError {
    /// γ is not usable.
    #[error("gamma is {0}: expected a finite positive number")]
    Gamma(f64),
    /// The number of features is.
    #[error("{0} Fourier features: expected an even number, at least 2")]
    Features(usize),
}

/// A map to features with drawn frequencies.
#[derive(Debug, Clone)]
pub struct Fourier {
    /// Frequencies ω (half as many as features) of d components each.
    frequencies: Panels,
    /// √(2 / features).
    scale: f64,
}

impl Fourier {
    /// Draws frequencies from N(0, 2γ I), component after component, for rows of `columns` features. A map
    /// with more features begins with the frequencies of one with fewer.
    ///
    /// # Errors
    /// If γ is not finite and positive, or `features` is odd or 0.
    pub fn draw(
        columns: usize,
        features: usize,
        gamma: f64,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, FourierError> {
        if !(gamma.is_finite() && gamma > 0.0) {
            return Err(FourierError::Gamma(gamma));
        }
        if features == 0 || !features.is_multiple_of(2) {
            return Err(FourierError::Features(features));
        }
        let spread = (2.0 * gamma).sqrt();
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let drawn = Array2::from_shape_simple_fn((features / 2, columns), || spread * normal());
        let frequencies = Panels::new(drawn.view());
        Ok(Self { frequencies, scale: (2.0 / features as f64).sqrt() })
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        2 * self.frequencies.len()
    }

    /// Whether there is no feature; always false.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// z of each row of `x` (n×d), row after row: first all cosines, then all sines, in single
    /// precision.
    pub fn map(&self, x: ArrayView2<'_, f64>) -> Vec<f32> {
        let mut out = vec![0.0; x.nrows() * self.len()];
        let blocks = out.par_chunks_mut(BLOCK * self.len());
        blocks.zip(x.axis_chunks_iter(Axis(0), BLOCK).into_par_iter()).for_each(|(out, rows)| {
            let packed = Panels::new(rows);
            features(self, &packed, out);
        });
        out
    }
}

wide! {
    /// The features of all rows of `x`, row after row.
    fn features['a]['a](map: &'a Fourier, x: &'a Panels, out: &'a mut [f32]) -> () {
        let half = map.frequencies.len();
        let mut packed = Vec::new();
        for first in (0..x.len()).step_by(ROWS) {
            // The last block repeats the last row.
            x.gather::<ROWS>(std::array::from_fn(|r| (first + r).min(x.len() - 1)), &mut packed);
            for (p, panel) in map.frequencies.iter().enumerate() {
                let phases = tile::<f64, ROWS, LANES>(panel, &packed);
                for (r, phases) in phases.iter().enumerate().take(x.len() - first) {
                    let (mut sines, mut cosines) = ([0.0_f32; LANES], [0.0_f32; LANES]);
                    for l in 0..LANES {
                        let (sin, cos) = sin_cos(phases[l]);
                        sines[l] = (map.scale * sin) as f32;
                        cosines[l] = (map.scale * cos) as f32;
                    }
                    let row = &mut out[(first + r) * 2 * half..][..2 * half];
                    let width = LANES.min(half - p * LANES);
                    row[p * LANES..][..width].copy_from_slice(&cosines[..width]);
                    row[half + p * LANES..][..width].copy_from_slice(&sines[..width]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn points(n: usize, d: usize) -> Array2<f64> {
        Array2::from_shape_fn((n, d), |(i, j)| ((i * 7 + j * 5) as f64).sin())
    }

    #[test]
    fn features_are_cosines_and_sines_of_the_phases() {
        for (n, d, features) in [(1, 1, 2), (7, 3, 8), (70, 20, 66)] {
            let x = points(n, d);
            let mut rng = ChaCha12Rng::seed_from_u64(3);
            let map = Fourier::draw(d, features, 0.4, &mut rng).unwrap();
            let z = map.map(x.view());
            for (i, row) in x.rows().into_iter().enumerate() {
                for k in 0..features / 2 {
                    let phase: f64 = map.frequencies.point(k).zip(row).map(|(w, v)| w * v).sum();
                    let scale = (2.0 / features as f64).sqrt();
                    let (cos, sin) = (z[i * features + k], z[i * features + features / 2 + k]);
                    assert!((f64::from(cos) - scale * phase.cos()).abs() < 1e-7);
                    assert!((f64::from(sin) - scale * phase.sin()).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn products_are_near_the_kernel() {
        // By Hoeffding's inequality, 4096 features miss a kernel value by 0.1 with probability below 1e-8.
        let (x, gamma) = (points(20, 6), 0.3);
        let map = Fourier::draw(6, 4096, gamma, &mut ChaCha12Rng::seed_from_u64(8)).unwrap();
        let z = map.map(x.view());
        let mut largest: f64 = 0.0;
        for i in 0..20 {
            for j in 0..20 {
                let (a, b) = (&z[i * 4096..][..4096], &z[j * 4096..][..4096]);
                let product: f64 = a.iter().zip(b).map(|(p, q)| f64::from(p * q)).sum();
                let d = &x.row(i) - &x.row(j);
                largest = largest.max((product - (-gamma * d.dot(&d)).exp()).abs());
            }
        }
        assert!(largest < 0.1 && largest > 1e-6, "{largest}");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let draw = |features, gamma| {
            Fourier::draw(2, features, gamma, &mut ChaCha12Rng::seed_from_u64(1)).unwrap_err()
        };
        assert_eq!(draw(8, -1.0), FourierError::Gamma(-1.0));
        assert!(matches!(draw(8, f64::NAN), FourierError::Gamma(_)));
        assert_eq!(draw(7, 1.0), FourierError::Features(7));
        assert_eq!(draw(0, 1.0), FourierError::Features(0));
    }
}
