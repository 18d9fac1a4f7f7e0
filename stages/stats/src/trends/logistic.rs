//! Logistic regression of counts on one covariate: whether the probability of success changes with x.

use crate::{
    alternative::Alternative,
    distribution::{normal_sf, t_sf},
};

/// Trials at one x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// The covariate.
    pub x: f64,
    /// How many trials succeeded, 0 ≤ `successes` ≤ `n`; halves (for ties) are allowed.
    pub successes: f64,
    /// The number of trials, positive.
    pub n: f64,
}

/// Why no slope could be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrendError {
    /// A value is not finite, or a count is impossible.
    #[error("x must be finite, and 0 <= successes <= n with n > 0")]
    Invalid,
    /// There are too few different x for a trend.
    #[error("fewer than two different x")]
    OneX,
    /// A threshold on x tells successes from failures, or one of them never occurs.
    #[error("x separates successes from failures: no finite slope; use a rank or permutation test")]
    Separated,
    /// The iteration did not converge.
    #[error("no maximum of the likelihood within {STEPS} steps")]
    NotConverged,
}

/// Maximum number of Newton steps.
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
    /// Pearson's χ² over its degrees of freedom: 1 if trials at one x are independent, larger if they are
    /// correlated. NaN for two places.
    pub dispersion: f64,
    /// Number of different x with trials (places).
    pub places: usize,
}

impl LogisticTrend {
    /// Wald's p of the slope; `Less` tests for a falling probability. Assumes that all trials are
    /// independent.
    #[must_use]
    pub fn wald_p(&self, alternative: Alternative) -> f64 {
        let z = self.slope / self.error;
        alternative.p(normal_sf(z), normal_sf(-z))
    }

    /// p of the likelihood ratio, one-sided by its signed root. Assumes that all trials are independent.
    #[must_use]
    pub fn likelihood_ratio_p(&self, alternative: Alternative) -> f64 {
        let z = self.likelihood_ratio.max(0.0).sqrt().copysign(self.slope);
        alternative.p(normal_sf(z), normal_sf(-z))
    }

    /// Wald's p with the standard error scaled by the dispersion (quasi-likelihood), against Student's t with
    /// places − 2 degrees of freedom: for repeated trials at one place that share what is particular to the
    /// place. NaN for two places.
    #[must_use]
    pub fn overdispersed_p(&self, alternative: Alternative) -> f64 {
        let t = self.slope / (self.error * self.dispersion.sqrt());
        let df = self.places as f64 - 2.0;
        alternative.p(t_sf(t, df), t_sf(-t, df))
    }
}

/// Fits a trend by maximum likelihood.
///
/// ```
/// use stats::{alternative::Alternative, trends::logistic::{Trials, logistic_trend}};
///
/// // Successes of 20 at four sizes.
/// let counts = [(1.0, 2.0), (2.0, 7.0), (3.0, 12.0), (4.0, 18.0)];
/// let trials = counts.map(|(x, successes)| Trials { x, successes, n: 20.0 });
/// let trend = logistic_trend(&trials)?;
/// assert!(trend.slope > 0.0 && trend.wald_p(Alternative::Greater) < 0.001);
/// # Ok::<(), stats::trends::logistic::TrendError>(())
/// ```
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
        // Far from the maximum a full step may overshoot. A gain below the rounding error counts as none.
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

#[cfg(test)]
mod tests {
    use super::Alternative::{Greater, Less, TwoSided};
    use super::*;

    fn trials(rows: &[(f64, f64, f64)]) -> Vec<Trials> {
        rows.iter().map(|&(x, successes, n)| Trials { x, successes, n }).collect()
    }

    fn close(ours: f64, exact: f64) {
        assert!((ours - exact).abs() <= 1e-9 * exact.abs(), "{ours} {exact}");
    }

    #[test]
    fn reference_values_of_counts() {
        let t = logistic_trend(&trials(&[
            (0.5, 18.0, 20.0),
            (1.2, 15.5, 20.0),
            (2.0, 14.0, 20.0),
            (3.3, 12.0, 20.0),
            (4.1, 7.0, 20.0),
            (5.0, 9.0, 20.0),
            (7.5, 3.0, 18.0),
        ]))
        .unwrap();
        close(t.slope, -0.489_682_950_842_592_83);
        close(t.intercept, 1.931_140_858_048_253_4);
        close(t.error, 0.100_608_745_428_088_43);
        close(t.likelihood_ratio, 30.764_567_074_022_32);
        close(t.dispersion, 0.504_230_653_571_682_8);
        close(t.wald_p(TwoSided), 1.131_900_961_322_208e-6);
        close(t.wald_p(Less), 0.5 * 1.131_900_961_322_208e-6);
        close(t.likelihood_ratio_p(TwoSided), 2.913_087_622_446_606_2e-8);
        close(t.overdispersed_p(TwoSided), 0.001_009_742_727_513_043_2);
        assert!(t.likelihood_ratio_p(Greater) > 0.999 && t.overdispersed_p(Greater) > 0.999);
    }

    #[test]
    fn reference_values_of_single_trials() {
        let xs = [100.0, 101.0, 103.0, 104.0, 106.0, 107.0, 109.0, 110.0];
        let ys = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0];
        let rows: Vec<_> = xs.into_iter().zip(ys).map(|(x, y)| (x, y, 1.0)).collect();
        let t = logistic_trend(&trials(&rows)).unwrap();
        close(t.slope, 0.452_256_365_898_781_6);
        close(t.intercept, -47.486_918_419_372_09);
        close(t.error, 0.312_195_293_522_437_74);
        close(t.likelihood_ratio, 3.140_059_278_675_676_2);
        close(t.wald_p(TwoSided), 0.147_440_134_994_200_64);
    }

    #[test]
    fn x_may_be_shifted_and_scaled() {
        let rows = [(1.0, 2.0, 9.0), (2.0, 4.0, 9.0), (4.0, 3.0, 7.0), (5.0, 6.0, 8.0)];
        let t = logistic_trend(&trials(&rows)).unwrap();
        let moved = rows.map(|(x, s, n)| (1e6 - 1e3 * x, n - s, n));
        let m = logistic_trend(&trials(&moved)).unwrap();
        close(m.slope, 1e-3 * t.slope);
        close(m.wald_p(Greater), t.wald_p(Greater));
        close(m.likelihood_ratio, t.likelihood_ratio);
    }

    #[test]
    fn what_has_no_slope_says_why() {
        let error = |rows: &[(f64, f64, f64)]| logistic_trend(&trials(rows)).unwrap_err();
        assert_eq!(error(&[]), TrendError::OneX);
        assert_eq!(error(&[(1.0, 1.0, 2.0), (1.0, 0.0, 2.0)]), TrendError::OneX);
        assert_eq!(error(&[(1.0, 3.0, 2.0), (2.0, 0.0, 2.0)]), TrendError::Invalid);
        assert_eq!(error(&[(f64::NAN, 1.0, 2.0)]), TrendError::Invalid);
        assert_eq!(error(&[(1.0, 0.0, 0.0)]), TrendError::Invalid);
        // No trial succeeds; a threshold; a threshold at a place with both outcomes.
        assert_eq!(error(&[(1.0, 0.0, 2.0), (2.0, 0.0, 2.0)]), TrendError::Separated);
        assert_eq!(error(&[(1.0, 2.0, 2.0), (2.0, 0.0, 2.0)]), TrendError::Separated);
        let quasi = [(1.0, 0.0, 2.0), (2.0, 1.0, 2.0), (3.0, 2.0, 2.0)];
        assert_eq!(error(&quasi), TrendError::Separated);
    }
}
