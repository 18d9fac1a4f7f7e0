//! Kernels of one category: probabilities of the choices.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::density::mixture::pick;

/// Kernels of one categorical parameter, the oldest first, the prior's last.
#[derive(Debug, Clone)]
pub struct Categorical {
    probabilities: Vec<Vec<f64>>,
}

impl Categorical {
    /// A kernel at each of `points`, indices below `choices`, and the prior's: `prior_weight`/(n + 1) for
    /// each choice and 1 more for the observed one, normalised. An index that is not a choice counts for no
    /// choice.
    pub(super) fn fit(choices: usize, points: &[f64], prior_weight: f64) -> Self {
        let spread = prior_weight / (points.len() + 1) as f64;
        let row = |observed: Option<f64>| {
            let own = |c: usize| if observed == Some(c as f64) { 1.0 } else { 0.0 };
            let row: Vec<f64> = (0..choices).map(|c| spread + own(c)).collect();
            let total: f64 = row.iter().sum();
            // Without a prior weight its row has no probability.
            row.iter().map(|w| if total > 0.0 { w / total } else { 0.0 }).collect()
        };
        let mut probabilities: Vec<Vec<f64>> = points.iter().map(|&x| row(Some(x))).collect();
        let alone = points.is_empty();
        let uniform = || vec![1.0 / choices as f64; choices];
        probabilities.push(if alone { uniform() } else { row(None) });
        Self { probabilities }
    }

    /// Probabilities of the choices, one row per kernel.
    pub fn probabilities(&self) -> &[Vec<f64>] {
        &self.probabilities
    }

    /// ln of a kernel's probability of a choice; −∞ for an index that is not a choice, NaN for NaN.
    pub(super) fn ln_density(&self, kernel: usize, choice: f64) -> f64 {
        if choice.is_nan() {
            return f64::NAN;
        }
        let row = &self.probabilities[kernel];
        let is_choice = choice.fract() == 0.0 && choice >= 0.0 && choice < row.len() as f64;
        if is_choice { row[choice as usize].ln() } else { f64::NEG_INFINITY }
    }

    /// A draw from a kernel.
    pub(super) fn draw(&self, kernel: usize, rng: &mut ChaCha12Rng) -> f64 {
        pick(self.probabilities[kernel].iter().copied(), rng.random()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_lean_to_their_observation() {
        let kernels = Categorical::fit(3, &[2.0], 1.0);
        // ½ for each, 1 more for the third: ½ : ½ : 3/2.
        assert_eq!(kernels.probabilities()[0], [0.2, 0.2, 0.6]);
        assert!(kernels.probabilities()[1].iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
        for odd in [-1.0, 0.5, 3.0, f64::INFINITY] {
            assert_eq!(kernels.ln_density(0, odd), f64::NEG_INFINITY);
        }
        assert!(kernels.ln_density(0, f64::NAN).is_nan());
    }

    #[test]
    fn without_a_prior_only_what_was_seen_is_likely() {
        let kernels = Categorical::fit(2, &[1.0], 0.0);
        assert_eq!(kernels.probabilities(), [[0.0, 1.0], [0.0, 0.0]]);
        assert_eq!(Categorical::fit(2, &[], 0.0).probabilities(), [[0.5, 0.5]]);
    }
}
