//! Does the chance of success change with x? A logistic regression of counts on one covariate.

use super::alternative::Alternative;
use super::distribution::{normal_sf, t_sf};

/// Trials at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// The covariate.
    pub x: f64,
    /// How many trials succeeded, 0 ≤ `successes` ≤ `n`; halves (for ties) are allowed.
    pub successes: f64,
    /// How many there were, positive.
    pub n: f64,
}

/// Why there is no slope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrendError {
    /// A value is not finite or a count impossible.
    #[error("x must be finite, and 0 <= successes <= n with n > 0")]
    Invalid,
    /// Nothing to follow a trend along.
    #[error("fewer than two different x")]
    OneX,
    /// A threshold on x tells successes from failures, or one of them never occurs.
    #[error("x separates successes from failures: no finite slope; use a rank or permutation test")]
    Separated,
    /// The iteration did not settle.
    #[error("no maximum of the likelihood within {STEPS} steps")]
    NotConverged,
}

/// Most Newton steps.
const STEPS: usize = 100;

/// A fitted trend: log-odds of success = intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticTrend {
    /// Change of the log-odds per unit of x.
    pub slope: f64,
    /// Log-odds at x = 0.
    pub intercept: f64,
    /// Standard error of the slope from the observed information.
    pub error: f64,
    /// Twice the gain in log-likelihood over no trend.
    pub likelihood_ratio: f64,
    /// Pearson's χ² over its degrees of freedom: 1 if trials at one x are independent, larger if
    /// they share something. NaN for two places.
    pub dispersion: f64,
    /// Number of places with trials.
    pub places: usize,
}

impl LogisticTrend {
    /// Wald's p of the slope, `Less` for a falling chance. Trusts all trials to be independent.
    #[must_use]
    pub fn wald_p(&self, alternative: Alternative) -> f64 {
        let z = self.slope / self.error;
        alternative.p(normal_sf(z), normal_sf(-z))
    }

    /// p of the likelihood ratio, one-sided by its signed root. Trusts all trials to be
    /// independent.
    #[must_use]
    pub fn likelihood_ratio_p(&self, alternative: Alternative) -> f64 {
        let z = self.likelihood_ratio.max(0.0).sqrt().copysign(self.slope);
        alternative.p(normal_sf(z), normal_sf(-z))
    }

    /// Wald's p with the standard error scaled by the dispersion (quasi-likelihood), against
    /// Student's t with places − 2 degrees of freedom: for repeats at one place that share what is
    /// particular to the place. NaN for two places.
    #[must_use]
    pub fn overdispersed_p(&self, alternative: Alternative) -> f64 {
        let t = self.slope / (self.error * self.dispersion.sqrt());
        let df = self.places as f64 - 2.0;
        alternative.p(t_sf(t, df), t_sf(-t, df))
    }
}

/// Fits a trend by maximum likelihood.
///
/// # Errors
/// If there is no unique finite maximum, or a value is impossible.
pub fn logistic_trend(trials: &[Trials]) -> Result<LogisticTrend, TrendError> {
    let valid = |t: &Trials| {
        t.x.is_finite() && t.n.is_finite() && t.n > 0.0 && (0.0..=t.n).contains(&t.successes)
    };
    if !trials.iter().all(valid) {
        return Err(TrendError::Invalid);
    }
    let total: f64 = trials.iter().map(|t| t.n).sum();
    let centre = trials.iter().map(|t| t.n / total * t.x).sum::<f64>();
    let scale = trials.iter().fold(0.0_f64, |m, t| m.max((t.x - centre).abs()));
    if trials.iter().all(|t| t.x == trials[0].x) {
        return Err(TrendError::OneX);
    }
    if separated(trials) {
        return Err(TrendError::Separated);
    }
    // In a centred and scaled covariate the information is well conditioned.
    let scaled: Vec<Trials> =
        trials.iter().map(|t| Trials { x: (t.x - centre) / scale, ..*t }).collect();
    let rate = trials.iter().map(|t| t.successes).sum::<f64>() / total;
    let mut at = [(rate / (1.0 - rate)).ln(), 0.0];
    let without = log_likelihood(&scaled, at);
    let mut reached = without;
    for _ in 0..STEPS {
        let (gradient, information) = score(&scaled, at);
        let step = solve(information, gradient);
        let mut next = [at[0] + step[0], at[1] + step[1]];
        let mut value = log_likelihood(&scaled, next);
        // Far from the maximum a full step may overshoot. A gain below rounding is none.
        let mut halvings = 0;
        while value < reached - 1e-13 * reached.abs() && halvings < 60 {
            next = [0.5 * (at[0] + next[0]), 0.5 * (at[1] + next[1])];
            value = log_likelihood(&scaled, next);
            halvings += 1;
        }
        (at, reached) = (next, value);
        if step[0].abs() + step[1].abs() <= 1e-13 * (1.0 + at[0].abs() + at[1].abs()) {
            let (_, [[aa, ab], [_, bb]]) = score(&scaled, at);
            let slope = at[1] / scale;
            return Ok(LogisticTrend {
                slope,
                intercept: at[0] - slope * centre,
                error: (aa / (aa * bb - ab * ab)).sqrt() / scale,
                likelihood_ratio: 2.0 * (reached - without),
                dispersion: dispersion(&scaled, at),
                places: trials.len(),
            });
        }
    }
    Err(TrendError::NotConverged)
}

/// Whether all successes lie on one side of all failures, touching allowed, or one kind is absent.
fn separated(trials: &[Trials]) -> bool {
    let ends = |has: fn(&Trials) -> bool| {
        let with = || trials.iter().filter(|t| has(t)).map(|t| t.x);
        (with().fold(f64::INFINITY, f64::min), with().fold(f64::NEG_INFINITY, f64::max))
    };
    let (first_success, last_success) = ends(|t| t.successes > 0.0);
    let (first_failure, last_failure) = ends(|t| t.successes < t.n);
    last_success <= first_failure || last_failure <= first_success
}

fn log_likelihood(trials: &[Trials], at: [f64; 2]) -> f64 {
    let term = |t: &Trials| {
        let odds = at[0] + at[1] * t.x;
        t.successes * odds - t.n * (odds.max(0.0) + (-odds.abs()).exp().ln_1p())
    };
    trials.iter().map(term).sum()
}

fn chance(t: &Trials, at: [f64; 2]) -> f64 {
    1.0 / (1.0 + (-at[0] - at[1] * t.x).exp())
}

/// Gradient of the log-likelihood and its negative Hessian.
fn score(trials: &[Trials], at: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
    let (mut gradient, mut information) = ([0.0; 2], [[0.0; 2]; 2]);
    for t in trials {
        let p = chance(t, at);
        let (excess, weight) = (t.successes - t.n * p, t.n * p * (1.0 - p));
        let design = [1.0, t.x];
        for i in 0..2 {
            gradient[i] += excess * design[i];
            for j in 0..2 {
                information[i][j] += weight * design[i] * design[j];
            }
        }
    }
    (gradient, information)
}

fn solve([[aa, ab], [_, bb]]: [[f64; 2]; 2], [a, b]: [f64; 2]) -> [f64; 2] {
    let determinant = aa * bb - ab * ab;
    [(bb * a - ab * b) / determinant, (aa * b - ab * a) / determinant]
}

fn dispersion(trials: &[Trials], at: [f64; 2]) -> f64 {
    let term = |t: &Trials| {
        let p = chance(t, at);
        (t.successes - t.n * p).powi(2) / (t.n * p * (1.0 - p))
    };
    let df = trials.len() as f64 - 2.0;
    if df > 0.0 { trials.iter().map(term).sum::<f64>() / df } else { f64::NAN }
}
