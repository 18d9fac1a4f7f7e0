//! Bandwidths of numerical kernels: a heuristic, then a least and a largest width. All lengths are shares of the
//! parameter's range.

use serde::{Deserialize, Serialize};

/// Scott's rule: this, times the spread, times N^(−1/5).
const SCOTT: f64 = 1.059;
/// The quartiles of a normal distribution lie this many standard deviations apart.
const QUARTILES: f64 = 1.34;
/// Optuna's rule: this share of the distance from the first to the last value, times N^(−1/(D + 4)). The authors'
/// code takes the range without the half steps here, and with them for the least and the largest width.
const OPTUNA: f64 = 0.2;
/// Largest width.
const WIDEST: f64 = 0.5;
/// Least width, whatever the settings.
const NARROWEST: f64 = 1e-12;

/// The rule for widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Heuristic {
    /// Each kernel's from the gaps to its neighbours; the ends of the range and the prior's mean are neighbours too.
    Hyperopt,
    /// All from the numbers of kernels and of parameters.
    Optuna,
    /// All from the spread of the observations, after Scott.
    Scott,
}

/// A heuristic, and the least width after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub heuristic: Heuristic,
    /// Least width, as a share of the range.
    pub minimum: f64,
    /// The least width is also N^(−exponent) of the range for N kernels; not with `None`.
    pub exponent: Option<f64>,
}

impl Rule {
    /// Widths of kernels at `points`. `ends` are the first and the last value of the parameter, `prior` is the mean of
    /// the prior, if there is one, and `parameters` the number of parameters that are modelled jointly.
    pub fn widths(
        &self,
        points: &[f64],
        ends: (f64, f64),
        prior: Option<f64>,
        parameters: usize,
    ) -> Vec<f64> {
        let kernels = (points.len() + usize::from(prior.is_some())) as f64;
        let magic = self.exponent.map_or(0.0, |exponent| kernels.powf(-exponent));
        let least = self.minimum.max(magic).max(NARROWEST);
        let raw = match self.heuristic {
            Heuristic::Hyperopt => gaps(points, ends, prior),
            Heuristic::Optuna => {
                let (first, last) = ends;
                let width =
                    OPTUNA * (last - first) * kernels.powf(-1.0 / (parameters as f64 + 4.0));
                vec![width; points.len()]
            }
            Heuristic::Scott => vec![scott(points, prior); points.len()],
        };
        // Not `clamp`, which panics where the least width is above the largest.
        raw.into_iter().map(|width| width.max(least).min(WIDEST)).collect()
    }
}

/// The larger gap of each point to its neighbours. Equal points are neighbours in their order.
fn gaps(points: &[f64], (first, last): (f64, f64), prior: Option<f64>) -> Vec<f64> {
    let n = points.len();
    let at = |i: usize| if i < n { points[i] } else { prior.unwrap_or(f64::NAN) };
    let mut order: Vec<usize> = (0..n + usize::from(prior.is_some())).collect();
    order.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
    let mut gaps = vec![0.0; n];
    for (place, &i) in order.iter().enumerate().filter(|(_, i)| **i < n) {
        let left = place.checked_sub(1).map_or(first, |l| at(order[l]));
        let right = order.get(place + 1).map_or(last, |&r| at(r));
        gaps[i] = (at(i) - left).max(right - at(i));
    }
    gaps
}

/// Scott's rule with the smaller of two measures of spread; 0 for a single value.
fn scott(points: &[f64], prior: Option<f64>) -> f64 {
    let mut all: Vec<f64> = points.iter().copied().chain(prior).collect();
    let n = all.len() as f64;
    if all.len() < 2 {
        return 0.0;
    }
    all.sort_unstable_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / n;
    let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    let quantile = |p: f64| {
        let at = p * (n - 1.0);
        let below = at.floor() as usize;
        let above = (below + 1).min(all.len() - 1);
        (all[above] - all[below]).mul_add(at - at.floor(), all[below])
    };
    let quartiles = (quantile(0.75) - quantile(0.25)) / QUARTILES;
    SCOTT * quartiles.min(variance.sqrt()) * n.powf(-0.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Rule = Rule { heuristic: Heuristic::Hyperopt, minimum: 0.0, exponent: None };

    fn close(found: &[f64], expected: &[f64]) {
        let same = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(found.len() == expected.len() && same, "{found:?} {expected:?}");
    }

    #[test]
    fn gaps_go_to_the_ends_and_to_the_prior() {
        close(&gaps(&[0.9, 0.2, 0.3], (0.0, 1.0), Some(0.5)), &[0.4, 0.2, 0.2]);
        close(&gaps(&[0.9, 0.2, 0.3], (0.0, 1.0), None), &[0.6, 0.2, 0.6]);
        close(&gaps(&[0.4, 0.4, 0.4], (0.05, 0.95), None), &[0.35, 0.0, 0.55]);
    }

    #[test]
    fn scott_takes_the_smaller_spread() {
        // Five values: quartiles 0.2 and 0.4, standard deviation 0.1581; and one far out, where quartiles stay.
        let even = [0.1, 0.2, 0.3, 0.4, 0.5];
        let factor = 1.059 * 5.0_f64.powf(-0.2);
        close(&[scott(&even, None)], &[factor * 0.2 / 1.34]);
        close(&[scott(&even[..4], Some(0.5))], &[factor * 0.2 / 1.34]);
        // Most of the values equal: no distance of quartiles, no width.
        close(&[scott(&[0.5, 0.5, 0.5, 0.5, 0.9], None), scott(&[0.3], None)], &[0.0, 0.0]);
        // Two values: quartiles half their distance apart, 0.2/1.34, and a deviation of 0.2828.
        close(&[scott(&[0.2, 0.6], None)], &[1.059 * 2.0_f64.powf(-0.2) * 0.2 / 1.34]);
    }

    #[test]
    fn optunas_rule_counts_the_prior_and_the_parameters() {
        let rule = Rule { heuristic: Heuristic::Optuna, ..PLAIN };
        let expected = 0.2 * 4.0_f64.powf(-1.0 / 7.0);
        close(&rule.widths(&[0.1, 0.2, 0.9], (0.0, 1.0), Some(0.5), 3), &[expected; 3]);
        // Of five values the first and the last lie half a step inside the range.
        let inside = rule.widths(&[0.1, 0.3, 0.9], (0.1, 0.9), Some(0.5), 3);
        close(&inside, &[0.8 * expected; 3]);
    }

    #[test]
    fn the_least_width_is_the_larger_of_two() {
        let points = [0.5; 3];
        let widths = |minimum, exponent| {
            let rule = Rule { minimum, exponent, ..PLAIN };
            rule.widths(&points, (0.0, 1.0), Some(0.5), 1)[1]
        };
        // The middle one of equal points has no gap; four kernels with the prior.
        close(&[widths(0.03, None)], &[0.03]);
        close(&[widths(0.03, Some(1.0)), widths(0.03, Some(2.0))], &[0.25, 0.0625]);
        close(&[widths(0.03, Some(4.0)), widths(0.0, None)], &[0.03, 1e-12]);
        // Half of the range is the most, whatever the exponent.
        close(&[widths(0.0, Some(0.25))], &[0.5]);
    }
}
