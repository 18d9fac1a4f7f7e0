//! A tuner like SMAC \[Hutter2011\]: expected improvement on a random forest, interleaved with random
//! configurations; every evaluation is a full one.
//!
//! DIFFERS: SMAC3 2.2 looks at all features and splits from two rows on, where 5/6 of them and three rows
//! are taken here; the improvement here is of plain losses; and categories are split by thresholds, as if
//! they had an order. So the tuner does not have its name.

use models::{
    forest::{Forest, ForestSettings},
    gp::acquisition::log_expected_improvement,
};
use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use super::failed::as_worst;
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SmacLikeSettings {
    /// Random configurations before the first model.
    pub starts: usize,
    /// Probability of a random configuration after that, in [0, 1].
    pub random_fraction: f64,
    /// Random configurations among which the improvement is maximised.
    pub candidates: usize,
    /// Best configurations whose neighbours are looked at, too.
    pub parents: usize,
    /// The surrogate.
    pub forest: ForestSettings,
}

impl Default for SmacLikeSettings {
    /// The settings of SMAC3's multi-fidelity facade for about 30 evaluations, a quarter of which is its
    /// initial design.
    ///
    /// DIFFERS: SMAC3 climbs from neighbour to neighbour; here the neighbours of the ten best are
    /// looked at once, beside a thousand random configurations.
    fn default() -> Self {
        let forest = ForestSettings::default();
        Self { starts: 7, random_fraction: 0.2, candidates: 1000, parents: 10, forest }
    }
}

/// Number of neighbours of a numeric value, and their standard deviation on the unit interval, as in SMAC3.
const NEIGHBOURS: usize = 4;
const SPREAD: f64 = 0.2;

/// The tuner.
#[derive(Debug, Clone)]
pub struct SmacLike {
    space: Space,
    settings: SmacLikeSettings,
    asked: u64,
    /// Evaluations by the number of the suggestion, so that the order of telling does not matter.
    told: std::collections::BTreeMap<u64, (Vec<f64>, f64)>,
}

impl SmacLike {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::smac_like::{SmacLike, SmacLikeSettings}};
    ///
    /// let mut tuner = SmacLike::new(Bounds::cube(2, 1.0)?, SmacLikeSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 30, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: SmacLikeSettings) -> Result<Self, Error> {
        let share = settings.random_fraction;
        if !(share.is_finite() && (0.0..=1.0).contains(&share)) {
            let (key, value) = ("random-fraction", share.to_string());
            return Err(Error::Setting { key, value, expected: "a number from 0 to 1" });
        }
        if settings.starts == 0 || settings.candidates == 0 {
            let (key, value) = ("starts, candidates", "0".to_owned());
            return Err(Error::Setting { key, value, expected: "at least 1" });
        }
        Ok(Self {
            space: space.into(),
            settings,
            asked: 0,
            told: std::collections::BTreeMap::new(),
        })
    }

    /// The configuration with the largest expected improvement among the candidates.
    fn model(&self, rng: &mut ChaCha12Rng) -> Option<Vec<f64>> {
        let y = as_worst(self.told.values().map(|(_, v)| *v))?;
        let x: Vec<Vec<f64>> = self.told.values().map(|(c, _)| self.space.to_unit(c)).collect();
        let logs = logarithms(&y);
        let lowest = logs.iter().copied().fold(f64::INFINITY, f64::min);
        let forest = Forest::fit(&x, &logs, self.settings.forest, rng);
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&a, &b| y[a].total_cmp(&y[b]).then(a.cmp(&b)));
        let mut candidates: Vec<Vec<f64>> = Vec::new();
        for &parent in order.iter().take(self.settings.parents) {
            for (j, domain) in self.space.domains().enumerate() {
                let numeric = !matches!(domain, Domain::Categorical { .. });
                for _ in 0..if numeric { NEIGHBOURS } else { 1 } {
                    let mut near = x[parent].clone();
                    near[j] = if numeric {
                        let step: f64 = StandardNormal.sample(rng);
                        (near[j] + SPREAD * step).clamp(0.0, 1.0)
                    } else {
                        rng.random()
                    };
                    candidates.push(near);
                }
            }
        }
        candidates.extend((0..self.settings.candidates).map(|_| self.space.draw_unit(rng)));
        let mut found: Option<(f64, Vec<f64>)> = None;
        for unit in candidates {
            let config = self.space.from_unit(&unit);
            if self.told.values().any(|(seen, _)| *seen == config) {
                continue;
            }
            let (mean, deviation) = forest.predict(&self.space.to_unit(&config));
            let value = log_expected_improvement(mean, deviation, lowest, 0.0);
            if found.as_ref().is_none_or(|(most, _)| value > *most) {
                found = Some((value, config));
            }
        }
        found.map(|(_, config)| config)
    }
}

/// Logarithms of the losses' distances from a value below the lowest loss, as far below as the fifth
/// percentile is above it, scaled so that the worst is 0 (the encoding of SMAC3's facade). This emphasises
/// differences among the best losses.
fn logarithms(losses: &[f64]) -> Vec<f64> {
    let mut sorted = losses.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
    let at = 0.05 * (sorted.len() - 1) as f64;
    let (i, weight) = (at as usize, at.fract());
    let percentile = sorted[i] + weight * (sorted[(i + 1).min(sorted.len() - 1)] - sorted[i]);
    let base = low - (percentile - low) - 1e-10;
    losses.iter().map(|y| ((y - base) / (high - base)).ln()).collect()
}

impl Tuner for SmacLike {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let random = self.told.len() < self.settings.starts
            || rng.random::<f64>() < self.settings.random_fraction;
        let config = if random { None } else { self.model(rng) };
        let config = config.unwrap_or_else(|| self.space.draw(rng));
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        self.told.insert(trial.suggestion.id, (trial.suggestion.config, trial.value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_keep_the_order_and_stretch_the_best() {
        let y: Vec<f64> = (0..=20).map(f64::from).collect();
        let logs = logarithms(&y);
        assert!(logs.is_sorted() && logs[20] == 0.0);
        // base = -1: ln(1/21), ln(2/21), …
        assert!((logs[0] - (1.0_f64 / 21.0).ln()).abs() < 1e-9);
        assert!(logs[1] - logs[0] > 10.0 * (logs[20] - logs[19]));
        assert_eq!(logarithms(&[3.0, 3.0]), [0.0, 0.0]);
    }
}
