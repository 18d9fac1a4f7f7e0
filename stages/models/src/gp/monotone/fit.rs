//! Chooses the hyper-parameters of a monotone process by marginal likelihood.

use ndarray::{Array1, Array2, Axis};
use numerics::{solve::projected_bfgs::minimise_near, space::Bounds};
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

/// The largest slope of the evidence's logarithm at the end of a fit.
const TOLERANCE: f64 = 1e-2;
/// Iterations from a start that is not near the maximum.
const ITERATIONS: usize = 60;
/// Iterations from where an earlier fit ended. One more trial moves the maximum little, and the next fit goes on.
const ITERATIONS_NEAR: usize = 10;

/// Where a fit ended, and so where the one of a few more trials begins.
#[derive(Debug, Clone)]
pub struct Near {
    /// Logarithms of the fitted hyper-parameters.
    at: Vec<f64>,
    /// An estimate of the inverse Hessian of the evidence's negative logarithm.
    inverse: Array2<f64>,
}

impl MonotoneGp {
    /// The derivatives of [`MonotoneGp::ln_evidence`] with respect to ln ℓ (one per input), ln σ² and ln
    /// noise. The sites need no derivatives: the approximation's mass is stationary in them,
    /// \[Rasmussen2006\] sec. 5.5.2.
    pub fn evidence_gradient(&self) -> Vec<f64> {
        let n = self.factor.order();
        let inputs = self.hyper.kernel.length_scales.len();
        // (K + noise and 1/τ)⁻¹ over targets and signs, in blocks.
        let mut precision = self.factor.precision();
        if let Some(signs) = self.signs() {
            let mut own = signs.factor.precision();
            own *= &signs.root;
            own = &own.t() * &signs.root;
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
        let alpha = self.weights.view().split_at(Axis(0), n).0;
        gradient[inputs] = self.pairs.add_slopes(alpha, &precision, &mut gradient[..inputs]);
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
    /// should have mean 0 and a standard deviation of about 1. The search begins at `near`, the
    /// result of an earlier one, or at its default start, whichever is more likely.
    ///
    /// # Errors
    /// If the data or settings are unusable, or none of the hyper-parameters tried gives a posterior.
    pub fn fit(
        points: &[Vec<f64>],
        targets: &[f64],
        sites: &[SignSite],
        settings: MonotoneSettings,
        near: Option<Near>,
        rng: &mut ChaCha12Rng,
    ) -> Result<(Self, Near), Error> {
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
        let at_first = best.as_ref().map_or(f64::INFINITY, |gp| -gp.ln_evidence());
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
        let near = near.filter(|near| near.at.len() == first.len()).and_then(|near| {
            let at_near = objective(&near.at);
            (at_near.0 < at_first).then_some((near, at_near))
        });
        let (start, inverse, mut at_start, iterations) = match near {
            Some((near, at)) => (near.at, Some(near.inverse), Some(at), ITERATIONS_NEAR),
            None => (first, None, None, ITERATIONS),
        };
        let limits = (TOLERANCE, iterations);
        let (found, inverse) = minimise_near(&start, inverse, &bounds, limits, |theta| {
            at_start.take().unwrap_or_else(|| objective(theta))
        });
        let mut near = Near { at: found.x, inverse };
        let mut lowest = found.value;
        for _ in 0..settings.restarts {
            let unit: Vec<f64> = (0..bounds.dimensions()).map(|_| rng.random()).collect();
            let start = bounds.from_unit(&unit);
            let (found, inverse) =
                minimise_near(&start, None, &bounds, (TOLERANCE, ITERATIONS), &mut objective);
            if found.value < lowest {
                (near, lowest) = (Near { at: found.x, inverse }, found.value);
            }
        }
        let best =
            best.ok_or(Error::Setting("no hyper-parameters in their ranges give a posterior"))?;
        Ok((best, near))
    }
}
