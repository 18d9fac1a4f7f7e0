//! A Gaussian process with a Matérn 5/2 covariance at given hyper-parameters: predictions at many points at
//! once, and at one point with gradients.

use ndarray::{Array1, Array2};
use numerics::linalg::{
    cholesky::{Cholesky, NotPositiveDefinite},
    elementary::exp,
    simd_dispatch::wide,
};

use crate::gp::{
    Prediction,
    hyper::{Hyper, JITTER, Observed},
    kernel::Kernel,
};

/// Number of points in a block.
pub const WIDTH: usize = 32;

/// Predictions at the points of a block.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// Posterior means.
    pub means: [f64; WIDTH],
    /// Posterior standard deviations of the noise-free function.
    pub deviations: [f64; WIDTH],
}

/// The process given its targets.
#[derive(Debug, Clone)]
pub struct Posterior {
    mean: f64,
    amplitude: f64,
    dimensions: usize,
    /// 1/ℓ.
    inverse_scales: Vec<f64>,
    /// x/ℓ, one point per row.
    scaled: Vec<f64>,
    /// L of the covariance K = L Lᵀ, rows at a stride of n, with 1/L on its diagonal.
    lower: Vec<f64>,
    /// K⁻¹ (y − m).
    alpha: Array1<f64>,
    inverse: Array2<f64>,
}

impl Posterior {
    /// The process with these hyper-parameters.
    ///
    /// # Errors
    /// If the covariance matrix is singular.
    pub fn new(observed: &Observed, hyper: &Hyper) -> Result<Self, NotPositiveDefinite> {
        let (n, dimensions) = observed.points.dim();
        let inverse_scales: Vec<f64> = hyper.scales.iter().map(|l| 1.0 / l).collect();
        let rows = observed.points.rows();
        let scale = |row: ndarray::ArrayView1<'_, f64>| -> Vec<f64> {
            row.iter().zip(&inverse_scales).map(|(x, w)| x * w).collect()
        };
        let scaled: Vec<f64> = rows.into_iter().flat_map(scale).collect();
        let point = |i: usize| &scaled[i * dimensions..(i + 1) * dimensions];
        let amplitude = hyper.amplitude;
        let mut k = Array2::zeros((n, n));
        for i in 0..n {
            for j in 0..i {
                let pairs = point(i).iter().zip(point(j));
                let square = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                k[(i, j)] = amplitude * Kernel::Matern52.value(square).0;
            }
            k[(i, i)] = amplitude * (1.0 + JITTER) + hyper.noise;
        }
        let factor = Cholesky::of(k)?;
        let lower =
            factor.lower().indexed_iter().map(|((i, j), &v)| if i == j { 1.0 / v } else { v });
        let lower = lower.collect();
        let alpha = factor.solve((&observed.targets - hyper.mean).view());
        let inverse = factor.inverse();
        let mean = hyper.mean;
        Ok(Self { mean, amplitude, dimensions, inverse_scales, scaled, lower, alpha, inverse })
    }

    /// Predictions at up to [`WIDTH`] points. `points` has one row of [`WIDTH`] values per dimension.
    pub fn predict(&self, points: &[f64]) -> Block {
        let rows = points.chunks_exact(WIDTH).zip(&self.inverse_scales);
        let scaled: Vec<f64> = rows.flat_map(|(row, w)| row.iter().map(move |x| x * w)).collect();
        let mut work = vec![0.0; self.alpha.len() * WIDTH];
        let mut block = Block { means: [self.mean; WIDTH], deviations: [0.0; WIDTH] };
        predict(self, &scaled, &mut work, &mut block);
        block
    }

    /// Prediction at a point with its gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let at: Vec<f64> = x.iter().zip(&self.inverse_scales).map(|(x, w)| x * w).collect();
        let (n, d) = (self.alpha.len(), self.dimensions);
        let mut k = Array1::zeros(n);
        let mut weights = Vec::with_capacity(n);
        for (i, own) in self.scaled.chunks_exact(d).enumerate() {
            let square = own.iter().zip(&at).map(|(a, b)| (a - b) * (a - b)).sum();
            let (value, weight) = Kernel::Matern52.value(square);
            k[i] = self.amplitude * value;
            weights.push(self.amplitude * weight);
        }
        let solved = self.inverse.dot(&k);
        let variance = (self.amplitude * (1.0 + JITTER) - k.dot(&solved)).max(0.0);
        let deviation = variance.sqrt();
        let mut mean_gradient = vec![0.0; d];
        let mut deviation_gradient = vec![0.0; d];
        for (i, own) in self.scaled.chunks_exact(d).enumerate() {
            let (by_mean, by_square) = (weights[i] * self.alpha[i], weights[i] * solved[i]);
            for j in 0..d {
                let difference = own[j] - at[j];
                mean_gradient[j] += by_mean * difference;
                deviation_gradient[j] -= by_square * difference;
            }
        }
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        mean_gradient.iter_mut().zip(&self.inverse_scales).for_each(|(g, w)| *g *= w);
        deviation_gradient.iter_mut().zip(&self.inverse_scales).for_each(|(g, w)| *g *= w * scale);
        let mean = self.mean + k.dot(&self.alpha);
        Prediction { mean, deviation, mean_gradient, deviation_gradient }
    }
}

wide! {
    /// Covariances with the points x/ℓ of a block, their contribution to the means, and L⁻¹ times them.
    fn predict['a]['a](
        process: &'a Posterior,
        at: &'a [f64],
        work: &'a mut [f64],
        block: &'a mut Block,
    ) -> () {
        let (n, d) = (process.alpha.len(), process.dimensions);
        for ((own, alpha), k) in
            process.scaled.chunks_exact(d).zip(&process.alpha).zip(work.chunks_exact_mut(WIDTH))
        {
            let mut squares = [0.0_f64; WIDTH];
            for (x, row) in own.iter().zip(at.chunks_exact(WIDTH)) {
                for l in 0..WIDTH {
                    let difference = x - row[l];
                    squares[l] = difference.mul_add(difference, squares[l]);
                }
            }
            for l in 0..WIDTH {
                let square = 5.0 * squares[l];
                let s = square.sqrt();
                k[l] = process.amplitude * ((square / 3.0 + s + 1.0) * exp(-s));
                block.means[l] = k[l].mul_add(*alpha, block.means[l]);
            }
        }
        let mut explained = [0.0_f64; WIDTH];
        for i in 0..n {
            let (done, rest) = work.split_at_mut(i * WIDTH);
            let row = &process.lower[i * n..=i * n + i];
            let mut value = [0.0_f64; WIDTH];
            value.copy_from_slice(&rest[..WIDTH]);
            for (factor, earlier) in row[..i].iter().zip(done.chunks_exact(WIDTH)) {
                for l in 0..WIDTH {
                    value[l] = (-factor).mul_add(earlier[l], value[l]);
                }
            }
            for l in 0..WIDTH {
                value[l] *= row[i];
                explained[l] = value[l].mul_add(value[l], explained[l]);
            }
            rest[..WIDTH].copy_from_slice(&value);
        }
        for (deviation, explained) in block.deviations.iter_mut().zip(&explained) {
            let variance = process.amplitude * (1.0 + JITTER) - explained;
            *deviation = if variance > 0.0 { variance.sqrt() } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::ChaCha12Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn process(n: usize, d: usize, rng: &mut ChaCha12Rng) -> (Observed, Hyper) {
        let points = Array2::from_shape_fn((n, d), |_| rng.random::<f64>());
        let targets = points.rows().into_iter().map(|x| (4.0 * x[0]).sin() + x[d - 1]).collect();
        let scales = (0..d).map(|_| rng.random_range(0.2..2.0)).collect();
        let hyper = Hyper { mean: 0.3, amplitude: 1.4, noise: 0.01, scales };
        (Observed { points, targets }, hyper)
    }

    /// The textbook formula with a full matrix, \[Rasmussen2006\] eqs. (2.25), (2.26).
    fn plain(data: &Observed, hyper: &Hyper, x: &[f64]) -> (f64, f64) {
        let covariance = |a: &[f64], b: &[f64]| {
            let terms = a.iter().zip(b).zip(&hyper.scales).map(|((a, b), l)| ((a - b) / l).powi(2));
            let r = (5.0 * terms.sum::<f64>()).sqrt();
            hyper.amplitude * (1.0 + r + r * r / 3.0) * (-r).exp()
        };
        let n = data.targets.len();
        let rows: Vec<Vec<f64>> = data.points.rows().into_iter().map(|r| r.to_vec()).collect();
        let diagonal = hyper.amplitude * JITTER + hyper.noise;
        let k = Array2::from_shape_fn((n, n), |(i, j)| {
            covariance(&rows[i], &rows[j]) + if i == j { diagonal } else { 0.0 }
        });
        let inverse = Cholesky::new(&k).unwrap().inverse();
        let at: Array1<f64> = rows.iter().map(|row| covariance(row, x)).collect();
        let mean = hyper.mean + at.dot(&inverse.dot(&(&data.targets - hyper.mean)));
        (mean, (hyper.amplitude * (1.0 + JITTER) - at.dot(&inverse.dot(&at))).max(0.0).sqrt())
    }

    #[test]
    fn blocks_and_single_points_have_the_textbook_prediction() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        for (n, d) in [(1, 1), (7, 3), (30, 6), (65, 2)] {
            let (data, hyper) = process(n, d, &mut rng);
            let posterior = Posterior::new(&data, &hyper).unwrap();
            let points: Vec<f64> = (0..d * WIDTH).map(|_| rng.random()).collect();
            let block = posterior.predict(&points);
            for l in 0..WIDTH {
                let x: Vec<f64> = (0..d).map(|j| points[j * WIDTH + l]).collect();
                let (mean, deviation) = plain(&data, &hyper, &x);
                let single = posterior.predict_with_gradient(&x);
                for (m, s) in
                    [(block.means[l], block.deviations[l]), (single.mean, single.deviation)]
                {
                    assert!((m - mean).abs() < 1e-10, "{n} {d}: {m} {mean}");
                    assert!((s - deviation).abs() < 1e-9, "{n} {d}: {s} {deviation}");
                }
            }
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        let mut rng = ChaCha12Rng::seed_from_u64(2);
        let (data, hyper) = process(12, 4, &mut rng);
        let posterior = Posterior::new(&data, &hyper).unwrap();
        let at: Vec<f64> = (0..4).map(|_| rng.random()).collect();
        let p = posterior.predict_with_gradient(&at);
        for i in 0..4 {
            let shifted = |h: f64| {
                let mut x = at.clone();
                x[i] += h;
                posterior.predict_with_gradient(&x)
            };
            let (up, down) = (shifted(1e-5), shifted(-1e-5));
            let mean = (up.mean - down.mean) / 2e-5;
            let deviation = (up.deviation - down.deviation) / 2e-5;
            assert!((p.mean_gradient[i] - mean).abs() < 1e-8, "{} {mean}", p.mean_gradient[i]);
            assert!((p.deviation_gradient[i] - deviation).abs() < 1e-8);
        }
    }
}
