//! Expectation propagation for the signs of jointly Gaussian variables.
//!
//! All sites are updated at once. A cavity is never the difference of two nearly equal numbers: where a site
//! dominates, it is computed from the predictive variance of the site's mean, elsewhere from the posterior
//! variance.

use ndarray::{Array1, Array2};
use numerics::linalg::cholesky::{Cholesky, NotPositiveDefinite};

use crate::gp::monotone::site::site;

/// Change of a sweep, relative to the site and to its prior, at which the sites have converged.
const TOLERANCE: f64 = 1e-12;
/// The largest change that is accepted if rounding allows no smaller one.
const ACCEPTED: f64 = 1e-5;
/// After this many sweeps without a smaller change, rounding is taken to allow none.
const PATIENCE: usize = 50;
/// Maximum number of sweeps.
const SWEEPS: usize = 1000;
/// The smallest part of an update that is applied if sweeps alternate.
const SMALLEST_PART: f64 = 1.0 / 16.0;

/// Why there is no approximation.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
pub enum Error {
    /// The covariance is not positive definite.
    #[error("signs: {0}")]
    Covariance(#[from] NotPositiveDefinite),
    /// The sites did not converge.
    #[error("signs: sites still change by {change:e} after {sweeps} sweeps")]
    Unsettled {
        /// Relative change in the last sweep.
        change: f64,
        /// Sweeps made.
        sweeps: usize,
    },
}

/// Sites exp(−τd²/2 + νd) and the resulting posterior. All of length m.
#[derive(Debug, Clone)]
pub struct Approximation {
    /// τ.
    pub tau: Array1<f64>,
    /// ν.
    pub nu: Array1<f64>,
    /// Posterior means.
    pub mean: Array1<f64>,
    /// Posterior variances.
    pub variance: Array1<f64>,
    /// ln of the mass of prior and signs.
    pub ln_mass: f64,
    /// (S + T⁻¹)⁻¹(ν/τ − μ): posterior means are prior means plus covariances times these.
    pub weights: Array1<f64>,
    /// √τ.
    pub root: Array1<f64>,
    /// Factor of B = I + T^½ S T^½ (m×m).
    pub factor: Cholesky,
    /// Sweeps made.
    pub sweeps: usize,
    /// Relative change of the sites in the last sweep: 1e-12, or more if signs and prior contradict each
    /// other so much that rounding allows no less; at most 1e-5.
    pub change: f64,
}

/// A prior N(μ, S) with its sites.
struct State {
    root: Array1<f64>,
    factor: Cholesky,
    /// B⁻¹(ν/√τ − √τ μ).
    solved: Array1<f64>,
    /// ½ ln det B + ½ the quadratic form of the sites' means.
    energy: f64,
    /// Mean and variance of each number without its own site.
    cavities: Vec<(f64, f64)>,
}

/// ν/√τ; 0 for a site without information.
fn scaled(nu: f64, root: f64) -> f64 {
    if root > 0.0 { nu / root } else { 0.0 }
}

impl State {
    fn new(
        mean: &Array1<f64>,
        covariance: &Array2<f64>,
        tau: &Array1<f64>,
        nu: &Array1<f64>,
    ) -> Result<Self, NotPositiveDefinite> {
        let m = mean.len();
        let root = tau.mapv(f64::sqrt);
        let b = Array2::from_shape_fn((m, m), |(i, j)| {
            f64::from(u8::from(i == j)) + root[i] * covariance[(i, j)] * root[j]
        });
        let factor = Cholesky::of(b)?;
        let white = factor.inverse_lower();
        // The diagonal of B⁻¹.
        let mut diagonal = vec![0.0; m];
        for (i, row) in white.rows().into_iter().enumerate() {
            diagonal.iter_mut().zip(row).take(i + 1).for_each(|(d, v)| *d += v * v);
        }
        let gap = Array1::from_shape_fn(m, |i| scaled(nu[i], root[i]) - root[i] * mean[i]);
        let solved = factor.solve(gap.view());
        let weights = &root * &solved;
        let cavity = |i: usize| {
            // The part of d that the site leaves to the others: 1 − τ × posterior variance.
            let left = diagonal[i];
            if left < 0.5 {
                let centre = scaled(nu[i], root[i]) - solved[i] / left;
                (centre / root[i], (1.0 / left - 1.0) / tau[i])
            } else {
                let u = &root * &covariance.row(i);
                let half = white.dot(&u);
                let variance = covariance[(i, i)] - half.dot(&half);
                let posterior = mean[i] + covariance.row(i).dot(&weights);
                ((posterior - variance * nu[i]) / left, variance / left)
            }
        };
        let cavities = (0..m).map(cavity).collect();
        let energy = 0.5 * (factor.ln_det() + gap.dot(&solved));
        Ok(Self { root, factor, solved, energy, cavities })
    }
}

/// Approximates N(d | `mean`, `covariance`) Π Φ(signᵢ dᵢ/`step`), with m ≥ 1 signs of ±1. `start` holds the
/// initial τ and ν of the sites.
///
/// # Errors
/// If the covariance is not positive definite or the sites do not converge.
pub fn approximate(
    mean: &Array1<f64>,
    covariance: &Array2<f64>,
    signs: &[f64],
    step: f64,
    start: Option<(Array1<f64>, Array1<f64>)>,
) -> Result<Approximation, Error> {
    let m = signs.len();
    let (mut tau, mut nu) = start.unwrap_or_else(|| (Array1::zeros(m), Array1::zeros(m)));
    let mut state = State::new(mean, covariance, &tau, &nu)?;
    let (mut part, mut change, mut sweeps) = (1.0_f64, f64::INFINITY, 0);
    let (mut least, mut since) = (f64::INFINITY, 0);
    while sweeps < SWEEPS {
        let mut largest = 0.0_f64;
        for (i, (m, v)) in state.cavities.iter().enumerate() {
            let next = site(signs[i], step, *m, *v);
            let prior = covariance[(i, i)];
            let by_tau = (next.tau - tau[i]).abs() / (next.tau + 1.0 / prior);
            let by_nu = (next.nu - nu[i]).abs() / (next.nu.abs() + 1.0 / prior.sqrt());
            // `max` is not used, since it would swallow NaN.
            for moved in [by_tau, by_nu] {
                let below = largest.is_nan() || moved <= largest;
                largest = if below { largest } else { moved };
            }
            tau[i] += part * (next.tau - tau[i]);
            nu[i] += part * (next.nu - nu[i]);
        }
        state = State::new(mean, covariance, &tau, &nu)?;
        sweeps += 1;
        if largest > change {
            part = (0.5 * part).max(SMALLEST_PART);
        }
        change = largest;
        if change < least {
            (least, since) = (change, sweeps);
        }
        let stuck = sweeps - since > PATIENCE && change <= ACCEPTED;
        if change <= TOLERANCE || stuck {
            break;
        }
    }
    let settled = change <= ACCEPTED;
    if !settled {
        return Err(Error::Unsettled { change, sweeps });
    }
    Ok(finish(&state, (tau, nu), signs, step, (sweeps, change)))
}

/// The posterior and its mass, \[Rasmussen2006\] eq. (3.65) arranged so that τ = 0 needs no special case.
fn finish(
    state: &State,
    (tau, nu): (Array1<f64>, Array1<f64>),
    signs: &[f64],
    step: f64,
    (sweeps, change): (usize, f64),
) -> Approximation {
    let mut ln_mass = -state.energy;
    let (mut mean, mut variance) = (tau.clone(), tau.clone());
    for (i, (m, v)) in state.cavities.iter().enumerate() {
        let inflation = 1.0 + tau[i] * v;
        let gap = state.root[i] * m - scaled(nu[i], state.root[i]);
        let ln_site = site(signs[i], step, *m, *v).ln_mass;
        ln_mass += ln_site + 0.5 * (inflation.ln() + gap * gap / inflation);
        mean[i] = (m + v * nu[i]) / inflation;
        variance[i] = v / inflation;
    }
    Approximation {
        weights: &state.root * &state.solved,
        root: state.root.clone(),
        factor: state.factor.clone(),
        tau,
        nu,
        mean,
        variance,
        ln_mass,
        sweeps,
        change,
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// For two centred variables the mass of a quadrant is ¼ + asin(ρ)/2π; EP is close to it, and exact if
    /// the variables are independent.
    #[test]
    fn the_mass_of_a_quadrant() {
        let mass = |rho: f64| {
            let s = array![[1.0, 2.0 * rho], [2.0 * rho, 4.0]];
            approximate(&array![0.0, 0.0], &s, &[1.0, 1.0], 1e-6, None).unwrap().ln_mass.exp()
        };
        assert!((mass(0.0) - 0.25).abs() < 1e-12);
        for rho in [-0.5, 0.3, 0.6] {
            let exact = 0.25 + f64::asin(rho) / std::f64::consts::TAU;
            assert!((mass(rho) / exact - 1.0).abs() < 0.03, "{rho}: {} {exact}", mass(rho));
        }
    }

    #[test]
    fn one_sign_gives_a_half_normal() {
        let a = approximate(&array![0.0], &array![[4.0]], &[-1.0], 1e-9, None).unwrap();
        let mean = -2.0 * (2.0 / std::f64::consts::PI).sqrt();
        assert!((a.mean[0] - mean).abs() < 1e-12);
        assert!((a.variance[0] - (4.0 - mean * mean)).abs() < 1e-12);
        assert!((a.ln_mass - 0.5_f64.ln()).abs() < 1e-12);
    }

    /// However strong a site is, its cavity is the prior if the variables are independent.
    #[test]
    fn a_strong_site_keeps_its_cavity() {
        let (mean, s) = (array![-1e4, 3.0], array![[2.0, 0.0], [0.0, 1.0]]);
        let a = approximate(&mean, &s, &[1.0, 1.0], 1e-6, None).unwrap();
        for i in 0..2 {
            let alone = site(1.0, 1e-6, mean[i], s[(i, i)]);
            assert!((a.tau[i] / alone.tau - 1.0).abs() < 1e-12, "{i}: {} {}", a.tau[i], alone.tau);
            assert!((a.nu[i] / alone.nu - 1.0).abs() < 1e-12, "{i}");
        }
    }

    #[test]
    fn a_start_does_not_change_the_end_and_nan_is_refused() {
        let (mean, s) = (array![0.3, -0.8], array![[1.0, 0.7], [0.7, 0.9]]);
        let cold = approximate(&mean, &s, &[1.0, -1.0], 1e-3, None).unwrap();
        let start = Some((array![3.0, 0.1], array![1.0, -2.0]));
        let other = approximate(&mean, &s, &[1.0, -1.0], 1e-3, start).unwrap();
        assert!((&cold.tau - &other.tau).iter().all(|v| v.abs() < 1e-10));
        assert!((cold.ln_mass - other.ln_mass).abs() < 1e-11);
        let nan = array![[f64::NAN, 0.0], [0.0, 1.0]];
        assert!(approximate(&mean, &nan, &[1.0, -1.0], 1e-3, None).is_err());
        assert!(approximate(&array![f64::NAN, 0.0], &s, &[1.0, 1.0], 1e-3, None).is_err());
    }
}
