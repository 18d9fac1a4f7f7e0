//! Weights of observations in a Parzen estimator: by age, or by how much an observation improves.

use serde::{Deserialize, Serialize};

use crate::density::mixture::recency_weights;

/// How many of the newest observations count fully where age counts.
const REMEMBERED: usize = 25;
/// Least improvement of an observation.
const LEAST_IMPROVEMENT: f64 = 1e-12;

/// How observations are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All alike.
    Uniform,
    /// From 25 observations on, older ones than the newest 25 count less.
    OldDecay,
    /// From 25 observations on, older ones than the newest 25 do not count, and neither does the prior.
    OldDrop,
    /// The same, but the prior keeps the weight of an observation.
    OldDropKeepsPrior,
    /// Among better observations by how far their losses lie below the least of the others; all alike among the
    /// others.
    ExpectedImprovement,
}

/// The weights of a mixture; they sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Of the observations, the oldest first.
    pub points: Vec<f64>,
    /// Of the prior; 0 if there is none.
    pub prior: f64,
}

impl Weighting {
    /// The weights of observations with these losses, the oldest first. `threshold` is the least loss of the worse
    /// group, if these are the better group and the worse one is not empty.
    ///
    /// The prior counts as the oldest observation. Without observations it has all the weight.
    ///
    /// ```
    /// use models::density::component_parzen::Weighting;
    ///
    /// let weights = Weighting::ExpectedImprovement.of(&[1.0, 3.0], Some(4.0), true);
    /// // Improvements of 3 and 1, and their mean.
    /// assert_eq!((weights.points, weights.prior), (vec![0.5, 1.0 / 6.0], 1.0 / 3.0));
    /// ```
    pub fn of(self, losses: &[f64], threshold: Option<f64>, prior: bool) -> Weights {
        let n = losses.len();
        if n == 0 {
            return Weights { points: Vec::new(), prior: 1.0 };
        }
        let old = n >= REMEMBERED;
        let all = n + usize::from(prior);
        let with_prior = |mut points: Vec<f64>| {
            let oldest = if prior { points.remove(0) } else { 0.0 };
            (points, oldest)
        };
        let (points, weight) = match (self, threshold) {
            (Self::OldDecay, _) if old => with_prior(recency_weights(all, REMEMBERED)),
            (Self::OldDrop | Self::OldDropKeepsPrior, _) if old => {
                let newest = |i: usize| f64::from(i + REMEMBERED >= all);
                let (points, oldest) = with_prior((0..all).map(newest).collect());
                let kept = prior && self == Self::OldDropKeepsPrior;
                (points, if kept { 1.0 } else { oldest })
            }
            (Self::ExpectedImprovement, Some(threshold)) => improvements(losses, threshold, prior),
            _ => (vec![1.0; n], f64::from(prior)),
        };
        let total: f64 = points.iter().sum::<f64>() + weight;
        Weights { points: points.iter().map(|w| w / total).collect(), prior: weight / total }
    }
}

/// Improvements, and their mean for the prior; all alike if one is infinite, as where trials failed.
fn improvements(losses: &[f64], threshold: f64, prior: bool) -> (Vec<f64>, f64) {
    let improvement = |loss: &f64| (threshold - loss).max(LEAST_IMPROVEMENT);
    let mut points: Vec<f64> = losses.iter().map(improvement).collect();
    if !points.iter().all(|w| w.is_finite()) {
        points.fill(1.0);
    }
    let mean = points.iter().sum::<f64>() / points.len() as f64;
    (points, if prior { mean } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{
        Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest,
    };

    const ALL: [Weighting; 5] = [
        Weighting::Uniform,
        Weighting::OldDecay,
        Weighting::OldDrop,
        Weighting::OldDropKeepsPrior,
        Weighting::ExpectedImprovement,
    ];

    fn any_weighting() -> impl Strategy<Value = Weighting> {
        prop_oneof![Just(ALL[0]), Just(ALL[1]), Just(ALL[2]), Just(ALL[3]), Just(ALL[4])]
    }

    #[test]
    fn below_25_points_age_does_not_count() {
        for kind in &ALL[..4] {
            let weights = kind.of(&[0.0; 24], Some(1.0), true);
            assert!(weights.points.iter().all(|w| (w - 0.04).abs() < 1e-15), "{kind:?}");
            assert!((weights.prior - 0.04).abs() < 1e-15, "{kind:?}");
        }
    }

    #[test]
    fn from_25_points_on_the_prior_is_the_oldest() {
        let of = |kind: Weighting, n: usize| kind.of(&vec![0.0; n], None, true);
        // 26 with the prior: 25 count 1, the prior 1/26.
        let decay = of(Weighting::OldDecay, 25);
        assert!((decay.prior * 26.0 - decay.points[0]).abs() < 1e-15);
        assert_eq!(of(Weighting::OldDrop, 25).prior, 0.0);
        assert_eq!(of(Weighting::OldDrop, 30).points[..5], [0.0; 5]);
        assert!((of(Weighting::OldDrop, 30).points[5] - 0.04).abs() < 1e-15);
        assert!((of(Weighting::OldDropKeepsPrior, 30).prior - 1.0 / 26.0).abs() < 1e-15);
        let without = Weighting::OldDrop.of(&[0.0; 26], None, false);
        assert_eq!((without.points[0], without.points[1], without.prior), (0.0, 0.04, 0.0));
    }

    #[test]
    fn what_does_not_improve_counts_hardly() {
        let weights = Weighting::ExpectedImprovement.of(&[1.0, 2.0, 2.0], Some(2.0), false);
        assert!(weights.points[0] > 0.999 && weights.points[1] > 0.0);
        // All equal to the threshold: equal weights. Failed trials: equal weights too.
        for (losses, threshold) in [([2.0; 3], 2.0), ([1.0, 2.0, 3.0], f64::INFINITY)] {
            let even = Weighting::ExpectedImprovement.of(&losses, Some(threshold), true);
            assert!(even.points.iter().all(|w| (w - 0.25).abs() < 1e-15), "{threshold}");
            assert!((even.prior - 0.25).abs() < 1e-15);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn weights_sum_to_one(
            kind in any_weighting(),
            losses in proptest::collection::vec(-9.0..9.0_f64, 0..60),
            prior in any::<bool>(),
            threshold in proptest::option::of(-9.0..9.0_f64),
        ) {
            let weights = kind.of(&losses, threshold, prior);
            prop_assert!(weights.points.len() == losses.len());
            prop_assert!((weights.points.iter().sum::<f64>() + weights.prior - 1.0).abs() < 1e-12);
            prop_assert!(weights.points.iter().all(|w| (0.0..=1.0).contains(w)));
            prop_assert!(prior || losses.is_empty() || weights.prior == 0.0);
        }
    }
}
