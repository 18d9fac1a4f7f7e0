//! Gaussian process regression with a fitted marginal likelihood, \[Rasmussen2006\] chapters 2, 5.

pub mod acquisition;
pub mod hyper;
pub mod information_gain;
pub mod kernel;
pub mod monotone;
pub mod posterior;
pub mod power_transform;
pub mod share;
pub mod slice_sampling;

use ndarray::{Array1, Array2};
use numerics::{
    linalg::cholesky::{Cholesky, NotPositiveDefinite},
    solve::projected_bfgs,
    space::Bounds,
};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::gp::kernel::Kernel;

/// Settings of a Gaussian process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GpSettings {
    /// Covariance function.
    pub kernel: Kernel,
    /// One length scale per dimension instead of one for all.
    pub ard: bool,
    /// Noise variance in units of the normalised targets; the start of the search if fitted.
    pub noise: f64,
    /// Whether the noise is fitted.
    pub fit_noise: bool,
    /// Whether the signal variance is fitted; otherwise it is 1 in normalised units.
    pub fit_amplitude: bool,
    /// Random starts of the marginal likelihood's maximisation, besides the default start.
    pub restarts: usize,
    /// Smallest and largest length scale.
    pub length_scales: [f64; 2],
}

impl Default for GpSettings {
    fn default() -> Self {
        Self {
            kernel: Kernel::Matern52,
            ard: false,
            noise: 1e-6,
            fit_noise: false,
            fit_amplitude: false,
            restarts: 5,
            length_scales: [1e-2, 1e2],
        }
    }
}

/// Why a process could not be fitted.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum Error {
    /// There are no points, points and targets differ in number, or values are not finite.
    #[error("need points and as many finite targets, got {points} points and {targets} targets")]
    Data {
        /// Number of points.
        points: usize,
        /// Number of targets.
        targets: usize,
    },
    /// A setting is out of range.
    #[error("{0}")]
    Setting(&'static str),
    /// The covariance matrix is singular.
    #[error("covariance: {0}; raise the noise")]
    Covariance(#[from] NotPositiveDefinite),
}

/// A fitted Gaussian process.
#[derive(Debug, Clone)]
pub struct Gp {
    kernel: Kernel,
    points: Array2<f64>,
    length_scales: Vec<f64>,
    amplitude: f64,
    noise: f64,
    mean: f64,
    deviation: f64,
    factor: Cholesky,
    /// K⁻¹y.
    alpha: Array1<f64>,
    log_likelihood: f64,
}

/// Mean and standard deviation at a point, with their gradients.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Posterior mean of the noise-free function.
    pub mean: f64,
    /// Posterior standard deviation of the noise-free function.
    pub deviation: f64,
    /// ∇ mean.
    pub mean_gradient: Vec<f64>,
    /// ∇ deviation (zero if the deviation is zero).
    pub deviation_gradient: Vec<f64>,
}

/// The hyper-parameters as the vector that is optimised: ln ℓ (1 or d), ln σ² if fitted, ln noise
/// if fitted.
struct Layout {
    scales: usize,
    dimensions: usize,
    settings: GpSettings,
}

impl Layout {
    fn read(&self, theta: &[f64]) -> (Vec<f64>, f64, f64) {
        let scales = if self.scales == 1 {
            vec![theta[0].exp(); self.dimensions]
        } else {
            theta[..self.scales].iter().map(|t| t.exp()).collect()
        };
        let mut rest = theta[self.scales..].iter();
        let mut next = |fitted: bool, fixed: f64| match fitted.then(|| rest.next()).flatten() {
            Some(t) => t.exp(),
            None => fixed,
        };
        let amplitude = next(self.settings.fit_amplitude, 1.0);
        let noise = next(self.settings.fit_noise, self.settings.noise);
        (scales, amplitude, noise)
    }

    fn bounds(&self) -> Result<Bounds, Error> {
        let [low, high] = self.settings.length_scales;
        let mut lows = vec![low.ln(); self.scales];
        let mut highs = vec![high.ln(); self.scales];
        if self.settings.fit_amplitude {
            lows.push((1e-3_f64).ln());
            highs.push((1e3_f64).ln());
        }
        if self.settings.fit_noise {
            lows.push((1e-8_f64).ln());
            highs.push(0.0);
        }
        let message = "length scales: expected finite 0 < low < high";
        Bounds::new(lows, highs).map_err(|_| Error::Setting(message))
    }
}

/// r² between two points.
fn squared_distance(a: &[f64], b: &[f64], scales: &[f64]) -> f64 {
    a.iter().zip(b).zip(scales).map(|((p, q), l)| ((p - q) / l) * ((p - q) / l)).sum()
}

/// ln p(y | points, θ) and its gradient, \[Rasmussen2006\] eqs. (5.8), (5.9); `None` if K is
/// singular. `y` has mean 0.
fn log_likelihood(
    layout: &Layout,
    points: &[Vec<f64>],
    y: &Array1<f64>,
    theta: &[f64],
) -> Option<(f64, Vec<f64>, Cholesky, Array1<f64>)> {
    let n = points.len();
    let (scales, amplitude, noise) = layout.read(theta);
    let mut weights = Array2::<f64>::zeros((n, n));
    let mut k = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let squared = squared_distance(&points[i], &points[j], &scales);
            let (value, weight) = layout.settings.kernel.value(squared);
            k[(i, j)] = amplitude * value;
            k[(j, i)] = k[(i, j)];
            weights[(i, j)] = amplitude * weight;
        }
    }
    let signal = k.clone();
    k.diag_mut().iter_mut().for_each(|d| *d += noise);
    let factor = Cholesky::new(&k).ok()?;
    let alpha = factor.solve(y.view());
    let value = -0.5 * (y.dot(&alpha) + factor.ln_det() + n as f64 * std::f64::consts::TAU.ln());
    // ½ tr((ααᵀ − K⁻¹) ∂K)
    let inverse = factor.inverse();
    let outer = |i: usize, j: usize| alpha[i] * alpha[j] - inverse[(i, j)];
    let mut gradient = vec![0.0; theta.len()];
    for i in 0..n {
        for j in 0..i {
            let w = outer(i, j) * weights[(i, j)];
            for (d, scale) in scales.iter().enumerate() {
                let scaled = (points[i][d] - points[j][d]) / scale;
                gradient[d.min(layout.scales - 1)] += w * scaled * scaled;
            }
        }
    }
    let mut slot = layout.scales;
    if layout.settings.fit_amplitude {
        gradient[slot] =
            0.5 * (0..n * n).map(|t| outer(t / n, t % n) * signal[(t / n, t % n)]).sum::<f64>();
        slot += 1;
    }
    if layout.settings.fit_noise {
        gradient[slot] = 0.5 * noise * (0..n).map(|i| outer(i, i)).sum::<f64>();
    }
    Some((value, gradient, factor, alpha))
}

impl Gp {
    /// Fits a process to targets `y` at `points` by maximising the marginal likelihood from several starts.
    /// Targets are normalised to mean 0 and standard deviation 1.
    ///
    /// # Errors
    /// If the data or settings are unusable or the covariance is singular.
    pub fn fit(
        points: &[Vec<f64>],
        y: &[f64],
        settings: GpSettings,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, Error> {
        let (n, d) = (points.len(), points.first().map_or(0, Vec::len));
        let finite = points.iter().all(|p| p.len() == d && p.iter().all(|v| v.is_finite()));
        if n == 0 || d == 0 || y.len() != n || !finite || !y.iter().all(|v| v.is_finite()) {
            return Err(Error::Data { points: n, targets: y.len() });
        }
        if !(settings.noise.is_finite() && settings.noise > 0.0) {
            return Err(Error::Setting("noise: expected a finite number > 0"));
        }
        let mean = y.iter().sum::<f64>() / n as f64;
        let spread = (y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64).sqrt();
        let deviation = if spread > 0.0 { spread } else { 1.0 };
        let targets: Array1<f64> = y.iter().map(|v| (v - mean) / deviation).collect();
        let layout = Layout { scales: if settings.ard { d } else { 1 }, dimensions: d, settings };
        let bounds = layout.bounds()?;
        let objective = |theta: &[f64]| match log_likelihood(&layout, points, &targets, theta) {
            Some((v, g, ..)) => (-v, g.iter().map(|t| -t).collect()),
            None => (f64::INFINITY, vec![0.0; theta.len()]),
        };
        let mut first = vec![0.0; bounds.dimensions()];
        if settings.fit_noise
            && let Some(last) = first.last_mut()
        {
            *last = settings.noise.ln();
        }
        let mut best = projected_bfgs::minimise(&first, &bounds, 1e-6, 100, objective);
        for _ in 0..settings.restarts {
            let unit: Vec<f64> = (0..bounds.dimensions()).map(|_| rng.random()).collect();
            let next =
                projected_bfgs::minimise(&bounds.from_unit(&unit), &bounds, 1e-6, 100, objective);
            if next.value < best.value {
                best = next;
            }
        }
        let Some((log_likelihood, _, factor, alpha)) =
            log_likelihood(&layout, points, &targets, &best.x)
        else {
            return Err(NotPositiveDefinite(n).into());
        };
        let (length_scales, amplitude, noise) = layout.read(&best.x);
        let points = Array2::from_shape_fn((n, d), |(i, j)| points[i][j]);
        Ok(Self {
            kernel: settings.kernel,
            points,
            length_scales,
            amplitude,
            noise,
            mean,
            deviation,
            factor,
            alpha,
            log_likelihood,
        })
    }

    /// Length scales, one per dimension.
    pub fn length_scales(&self) -> &[f64] {
        &self.length_scales
    }

    /// Signal and noise variance in units of the normalised targets.
    pub fn variances(&self) -> (f64, f64) {
        (self.amplitude, self.noise)
    }

    /// The maximised log marginal likelihood of the normalised targets.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Posterior mean and standard deviation at a point, in the units of the targets.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let k = Array1::from_iter(self.points.rows().into_iter().map(|row| {
            let squared = row
                .iter()
                .zip(x)
                .zip(&self.length_scales)
                .map(|((p, q), l)| ((q - p) / l) * ((q - p) / l))
                .sum();
            self.amplitude * self.kernel.value(squared).0
        }));
        let v = self.factor.solve_lower(k.view());
        let variance = (self.amplitude - v.dot(&v)).max(0.0);
        (self.mean + self.deviation * k.dot(&self.alpha), self.deviation * variance.sqrt())
    }

    /// Posterior mean and standard deviation at a point with their gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let (n, d) = self.points.dim();
        let mut k = Array1::zeros(n);
        let mut jacobian = Array2::zeros((n, d));
        for (i, row) in self.points.rows().into_iter().enumerate() {
            let scaled: Vec<f64> =
                row.iter().zip(x).zip(&self.length_scales).map(|((p, q), l)| (q - p) / l).collect();
            let (value, weight) = self.kernel.value(scaled.iter().map(|s| s * s).sum());
            k[i] = self.amplitude * value;
            for j in 0..d {
                jacobian[(i, j)] = -self.amplitude * weight * scaled[j] / self.length_scales[j];
            }
        }
        let solved = self.factor.solve(k.view());
        let variance = (self.amplitude - k.dot(&solved)).max(0.0);
        let root = variance.sqrt();
        let scale = if root > 0.0 { -self.deviation / root } else { 0.0 };
        Prediction {
            mean: self.mean + self.deviation * k.dot(&self.alpha),
            deviation: self.deviation * root,
            mean_gradient: (self.deviation * self.alpha.dot(&jacobian)).to_vec(),
            deviation_gradient: (scale * solved.dot(&jacobian)).to_vec(),
        }
    }
}

#[cfg(test)]
mod tests;
