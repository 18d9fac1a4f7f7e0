//! Chooses the hyper-parameters of a monotone process by marginal likelihood.

use ndarray::{Array1, Array2};
use numerics::{linalg::cholesky::Cholesky, solve::projected_bfgs, space::Bounds};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::gp::{
    kernel::Kernel,
    monotone::{Error, Hyper, MonotoneGp, SignSite, kernel::ArdKernel},
};

/// Settings of a fit. \[Joy2019\] states neither noise nor how hyper-parameters are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MonotoneSettings {
    /// Covariance function; \[Joy2019\] has the squared exponential.
    pub kernel: Kernel,
    /// One length scale an input instead of one for all.
    pub ard: bool,
    /// Noise variance; the start of the search if fitted.
    pub noise: f64,
    /// Whether the noise is fitted.
    pub fit_noise: bool,
    /// Whether the variance of the function is fitted; otherwise it is 1.
    pub fit_amplitude: bool,
    /// v of the signs' likelihood.
    pub step: f64,
    /// Random starts, besides the default start.
    pub restarts: usize,
    /// Smallest and largest length scale.
    pub length_scales: [f64; 2],
}

impl Default for MonotoneSettings {
    fn default() -> Self {
        Self {
            kernel: Kernel::SquaredExponential,
            ard: true,
            noise: 1e-4,
            fit_noise: true,
            fit_amplitude: false,
            step: 1e-6,
            restarts: 0,
            length_scales: [0.05, 10.0],
        }
    }
}

/// The symmetric matrix of two blocks on the diagonal and one above it.
fn stack(first: &Array2<f64>, above: &Array2<f64>, second: &Array2<f64>) -> Array2<f64> {
    let (n, m) = above.dim();
    Array2::from_shape_fn((n + m, n + m), |(i, j)| match (i < n, j < n) {
        (true, true) => first[(i, j)],
        (true, false) => above[(i, j - n)],
        (false, true) => above[(j, i - n)],
        (false, false) => second[(i - n, j - n)],
    })
}

/// Iterations and tolerance of a fit.
const FIT: (usize, f64) = (60, 1e-3);

impl MonotoneGp {
    /// The derivatives of [`MonotoneGp::ln_evidence`] with respect to ln ℓ (one per input), ln σ² and ln
    /// noise. The sites need no derivatives: the approximation's mass is stationary in them,
    /// \[Rasmussen2006\] sec. 5.5.2.
    pub fn evidence_gradient(&self) -> Vec<f64> {
        let n = self.factor.order();
        let inputs = self.hyper.kernel.length_scales.len();
        // (K + noise and 1/τ)⁻¹ over targets and signs, in blocks.
        let inverse = |factor: &Cholesky| {
            let lower = factor.inverse_lower();
            lower.t().dot(&lower)
        };
        let mut precision = inverse(&self.factor);
        if let Some(s) = self.signs() {
            let mut own = inverse(&s.factor);
            own *= &s.root;
            own = &own.t() * &s.root;
            let regression = self.regression();
            let cross = -regression.dot(&own);
            let targets = precision - cross.dot(&regression.t());
            precision = stack(&targets, &cross, &own);
        }
        let mut gradient = vec![0.0; inputs + 2];
        let kernel = &self.hyper.kernel;
        let weight = |i: usize, j: usize| {
            let half = if i == j { 0.5 } else { 1.0 };
            half * (self.weights[i] * self.weights[j] - precision[(i, j)])
        };
        let weights: Vec<f64> =
            (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| weight(i, j)).collect();
        gradient[inputs] = self.pairs.add_slopes(kernel, &weights, &mut gradient[..inputs]);
        for i in 0..n {
            gradient[inputs + 1] += weight(i, i) * self.hyper.noise;
        }
        for (i, a) in self.elements.iter().enumerate().skip(n) {
            for (j, b) in self.elements[..=i].iter().enumerate() {
                let weight = weight(i, j);
                gradient[inputs] +=
                    weight * kernel.add_slopes(a, b, weight, &mut gradient[..inputs]);
            }
        }
        gradient
    }

    /// The process whose hyper-parameters maximise the marginal likelihood of targets and signs. The targets
    /// should have mean 0 and a standard deviation of about 1. The search begins at `near`, for example the
    /// result of an earlier one, or at its default start, whichever is more likely.
    ///
    /// # Errors
    /// If the data or settings are unusable, or none of the hyper-parameters tried gives a posterior.
    pub fn fit(
        points: &[Vec<f64>],
        targets: &[f64],
        sites: &[SignSite],
        settings: MonotoneSettings,
        near: Option<&Hyper>,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, Error> {
        let inputs = points.first().map_or(0, Vec::len);
        let scales = if settings.ard { inputs } else { inputs.min(1) };
        let read = |theta: &[f64]| {
            let ell = |j: usize| theta[j.min(scales - 1)].exp();
            let mut rest = theta[scales..].iter();
            let mut next = |fitted: bool, fixed: f64| {
                fitted.then(|| rest.next()).flatten().map_or(fixed, |t| t.exp())
            };
            Hyper {
                kernel: ArdKernel {
                    form: settings.kernel,
                    amplitude: next(settings.fit_amplitude, 1.0),
                    length_scales: (0..inputs).map(ell).collect(),
                },
                noise: next(settings.fit_noise, settings.noise),
                step: settings.step,
            }
        };
        let [low, high] = settings.length_scales;
        let (mut lows, mut highs) = (vec![low.ln(); scales], vec![high.ln(); scales]);
        let mut first = vec![0.5_f64.ln(); scales];
        for (fitted, start, range) in [
            (settings.fit_amplitude, 1.0_f64, [1e-2_f64, 1e2_f64]),
            (settings.fit_noise, settings.noise, [1e-6, 1.0]),
        ] {
            if fitted {
                first.push(start.ln());
                lows.push(range[0].ln());
                highs.push(range[1].ln());
            }
        }
        let bounds = Bounds::new(lows, highs).map_err(|_| {
            Error::Setting("length scales: expected points with inputs and finite 0 < low < high")
        })?;
        // Faults that do not depend on the hyper-parameters are reported at once.
        let mut best: Option<Self> = match Self::new(points, targets, sites, read(&first), None) {
            Err(e @ (Error::Data { .. } | Error::Site(_) | Error::Setting(_))) => return Err(e),
            made => made.ok(),
        };
        let mut warm: Option<(Array1<f64>, Array1<f64>)> = None;
        let mut objective = |theta: &[f64]| {
            let hyper = read(theta);
            let made = Self::new(points, targets, sites, hyper.clone(), warm.take())
                .or_else(|_| Self::new(points, targets, sites, hyper, None));
            let Ok(gp) = made else { return (f64::INFINITY, vec![0.0; theta.len()]) };
            warm = gp.signs().map(|s| (s.tau.clone(), s.nu.clone()));
            let full = gp.evidence_gradient();
            let mut g = vec![0.0; scales];
            for (j, slope) in full[..inputs].iter().enumerate() {
                g[j.min(scales - 1)] -= slope;
            }
            if settings.fit_amplitude {
                g.push(-full[inputs]);
            }
            if settings.fit_noise {
                g.push(-full[inputs + 1]);
            }
            let value = -gp.ln_evidence();
            if best.as_ref().is_none_or(|b| gp.ln_evidence() > b.ln_evidence()) {
                best = Some(gp);
            }
            (value, g)
        };
        let start = near.and_then(|near| {
            let mut theta: Vec<f64> =
                near.kernel.length_scales.iter().take(scales).map(|l| l.ln()).collect();
            theta.extend(settings.fit_amplitude.then(|| near.kernel.amplitude.ln()));
            theta.extend(settings.fit_noise.then(|| near.noise.ln()));
            (objective(&theta).0 < objective(&first).0).then_some(theta)
        });
        let start = start.unwrap_or(first);
        projected_bfgs::minimise(&start, &bounds, FIT.1, FIT.0, &mut objective);
        for _ in 0..settings.restarts {
            let unit: Vec<f64> = (0..bounds.dimensions()).map(|_| rng.random()).collect();
            projected_bfgs::minimise(
                &bounds.from_unit(&unit),
                &bounds,
                FIT.1,
                FIT.0,
                &mut objective,
            );
        }
        best.ok_or(Error::Setting("no hyper-parameters in their ranges give a posterior"))
    }
}
