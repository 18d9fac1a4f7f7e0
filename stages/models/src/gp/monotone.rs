//! Gaussian process regression that is also conditioned on the signs of some derivatives, \[Riihimaki2010\]:
//! the surrogate of HyperTune \[Joy2019\].
//!
//! The targets have prior mean zero. First the derivatives are conditioned on the targets, then
//! [`approximate`] adds their signs; no jitter is added anywhere.

pub mod expectation_propagation;
pub mod fit;
pub mod kernel;
mod pairs;
pub mod predict;
mod scaled;
pub mod site;

use ndarray::{Array1, Array2, Axis};
use numerics::linalg::cholesky::{Cholesky, NotPositiveDefinite};

use crate::gp::{
    Prediction,
    monotone::{
        expectation_propagation::{Approximation, Error as SignError, approximate},
        kernel::{ArdKernel, Element},
        pairs::Pairs,
    },
};

/// A known sign of a partial derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct SignSite {
    /// The point.
    pub x: Vec<f64>,
    /// The input (from 0) with respect to which the function is differentiated.
    pub dimension: usize,
    /// Whether the function increases with that input there; otherwise it decreases.
    pub rising: bool,
}

/// The parameters of the prior and the likelihoods.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyper {
    /// The covariance function.
    pub kernel: ArdKernel,
    /// Variance of the targets' noise.
    pub noise: f64,
    /// v: a sign is wrong with probability Φ(−|d|/v) at a derivative d. \[Joy2019\] uses 1e-6.
    pub step: f64,
}

/// Why there is no posterior.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum Error {
    /// There are no points, numbers are not finite, or lengths do not match.
    #[error("need finite points with as many targets, all with {inputs} inputs")]
    Data {
        /// Number of length scales.
        inputs: usize,
    },
    /// A site of a sign whose point or input does not exist.
    #[error("sign site {0}: expected a finite point and one of its inputs")]
    Site(usize),
    /// A setting is out of range.
    #[error("{0}")]
    Setting(&'static str),
    /// The covariance of the targets is singular.
    #[error("targets: {0}; raise the noise")]
    Covariance(#[from] NotPositiveDefinite),
    /// The signs could not be included.
    #[error(transparent)]
    Signs(#[from] SignError),
}

/// A posterior given n targets and m signs.
#[derive(Debug, Clone)]
pub struct MonotoneGp {
    pub(super) hyper: Hyper,
    /// The n observed values, then the m derivatives with a sign.
    pub(super) elements: Vec<Element>,
    /// The covariances of the targets.
    pairs: Pairs,
    /// Factor of K + noise (n×n).
    pub(super) factor: Cholesky,
    /// `L⁻¹ K_fd`: the derivatives' covariances with the targets, whitened (n×m).
    pub(super) whitened: Array2<f64>,
    /// The vector that covariances are multiplied with to give the mean (length n + m).
    pub(super) weights: Array1<f64>,
    signs: Option<Approximation>,
    ln_targets: f64,
}

/// Whether a number is positive; NaN is not.
fn positive(v: f64) -> bool {
    v.is_finite() && v > 0.0
}

fn validate(
    points: &[Vec<f64>],
    targets: &[f64],
    sites: &[SignSite],
    hyper: &Hyper,
) -> Result<(), Error> {
    let inputs = hyper.kernel.length_scales.len();
    let finite = |p: &[f64]| p.len() == inputs && p.iter().all(|v| v.is_finite());
    let matched = !points.is_empty() && points.len() == targets.len() && inputs > 0;
    if !matched || !points.iter().all(|p| finite(p)) || !targets.iter().all(|v| v.is_finite()) {
        return Err(Error::Data { inputs });
    }
    if let Some(i) = sites.iter().position(|s| !finite(&s.x) || s.dimension >= inputs) {
        return Err(Error::Site(i));
    }
    if !(positive(hyper.kernel.amplitude)
        && hyper.kernel.length_scales.iter().all(|&l| positive(l)))
    {
        return Err(Error::Setting("amplitude, length scales: expected finite numbers > 0"));
    }
    for (v, message) in [
        (hyper.noise, "noise: expected a finite number >= 0"),
        (hyper.step, "step: expected a finite number >= 0"),
    ] {
        if !(v.is_finite() && v >= 0.0) {
            return Err(Error::Setting(message));
        }
    }
    Ok(())
}

impl MonotoneGp {
    /// The posterior given `targets` at `points` and the signs of `sites`, which may be empty. `start` holds
    /// the τ and ν of a similar posterior's sites as initial values.
    ///
    /// # Errors
    /// If the data or settings are unusable or a covariance is singular.
    pub fn new(
        points: &[Vec<f64>],
        targets: &[f64],
        sites: &[SignSite],
        hyper: Hyper,
        start: Option<(Array1<f64>, Array1<f64>)>,
    ) -> Result<Self, Error> {
        validate(points, targets, sites, &hyper)?;
        let (n, m) = (points.len(), sites.len());
        let value = |x: &Vec<f64>| Element { x: x.clone(), derivative: None };
        let slope = |s: &SignSite| Element { x: s.x.clone(), derivative: Some(s.dimension) };
        let elements: Vec<Element> =
            points.iter().map(value).chain(sites.iter().map(slope)).collect();
        let block = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            let (top, left) = (rows.start, columns.start);
            Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| {
                hyper.kernel.covariance(&elements[top + i], &elements[left + j])
            })
        };
        let pairs = Pairs::new(&hyper.kernel, points);
        let factor = Cholesky::of(pairs.lower(hyper.noise))?;
        let y = Array1::from(targets.to_vec());
        let white = factor.solve_lower(y.view());
        let ln_targets =
            -0.5 * (white.dot(&white) + factor.ln_det() + n as f64 * std::f64::consts::TAU.ln());
        let cross = block(0..n, n..n + m);
        let mut whitened = Array2::zeros((n, m));
        for (from, mut to) in cross.columns().into_iter().zip(whitened.columns_mut()) {
            to.assign(&factor.solve_lower(from));
        }
        let mut gap = y;
        let signs = if m == 0 {
            None
        } else {
            let given = block(n..n + m, n..n + m) - whitened.t().dot(&whitened);
            let mean = whitened.t().dot(&white);
            let rising = |s: &SignSite| if s.rising { 1.0 } else { -1.0 };
            let of: Vec<f64> = sites.iter().map(rising).collect();
            let signs = approximate(&mean, &given, &of, hyper.step, start)?;
            gap -= &cross.dot(&signs.weights);
            Some(signs)
        };
        let mut weights = factor.solve(gap.view());
        if let Some(s) = &signs {
            weights.append(Axis(0), s.weights.view()).expect("both have one axis");
        }
        Ok(Self { hyper, elements, pairs, factor, whitened, weights, signs, ln_targets })
    }

    /// The prior and likelihoods.
    pub fn hyper(&self) -> &Hyper {
        &self.hyper
    }

    /// The signs' sites and the posterior of their derivatives, if there are signs.
    pub fn signs(&self) -> Option<&Approximation> {
        self.signs.as_ref()
    }

    /// ln p(targets), without the signs.
    pub fn ln_targets(&self) -> f64 {
        self.ln_targets
    }

    /// ln p(targets, signs) by expectation propagation: the log marginal likelihood.
    pub fn ln_evidence(&self) -> f64 {
        self.ln_targets + self.signs.as_ref().map_or(0.0, |s| s.ln_mass)
    }

    /// `L⁻ᵀ[L⁻¹K_fd]` (n×m): the targets' contribution to the derivatives.
    pub(super) fn regression(&self) -> Array2<f64> {
        let mut out = Array2::zeros(self.whitened.dim());
        for (from, mut to) in self.whitened.columns().into_iter().zip(out.columns_mut()) {
            to.assign(&self.factor.solve_upper(from));
        }
        out
    }

    /// Posterior mean and standard deviation of the noise-free function at a point.
    pub fn predict(&self, x: &[f64]) -> (f64, f64) {
        let p = self.predict_with_gradient(x);
        (p.mean, p.deviation)
    }

    /// Posterior mean and standard deviation of the noise-free function at a point, with their gradients.
    pub fn predict_with_gradient(&self, x: &[f64]) -> Prediction {
        let (n, d) = (self.factor.order(), x.len());
        let mut k = Array1::zeros(self.elements.len());
        let mut jacobian = Array2::<f64>::zeros((self.elements.len(), d));
        for (i, (element, mut row)) in self.elements.iter().zip(jacobian.rows_mut()).enumerate() {
            let gradient = row.as_slice_mut().expect("rows of a new matrix are contiguous");
            k[i] = self.hyper.kernel.at_point(x, element, gradient);
        }
        let (of_targets, of_slopes) = k.view().split_at(Axis(0), n);
        let white = self.factor.solve_lower(of_targets);
        let mut variance = self.hyper.kernel.amplitude - white.dot(&white);
        // (K + noise and 1/τ)⁻¹ k over targets and signs.
        let mut rest = white.clone();
        let mut slopes = Array1::zeros(0);
        if let Some(s) = &self.signs {
            let given = &of_slopes - &self.whitened.t().dot(&white);
            let half = s.factor.solve_lower((&s.root * &given).view());
            variance -= half.dot(&half);
            slopes = &s.root * &s.factor.solve_upper(half.view());
            rest -= &self.whitened.dot(&slopes);
        }
        let mut solved = self.factor.solve_upper(rest.view());
        solved.append(Axis(0), slopes.view()).expect("both have one axis");
        let deviation = variance.max(0.0).sqrt();
        let scale = if deviation > 0.0 { -1.0 / deviation } else { 0.0 };
        Prediction {
            mean: k.dot(&self.weights),
            deviation,
            mean_gradient: self.weights.dot(&jacobian).to_vec(),
            deviation_gradient: (scale * solved.dot(&jacobian)).to_vec(),
        }
    }
}

#[cfg(test)]
#[path = "monotone_tests.rs"]
mod tests;
