//! Tree-structured Parzen estimators \[Bergstra2011\] that model all parameters jointly
//! \[Falkner2018\], with the rules and constants of Optuna 5.0.
//!
//! A number of the best trials counts as good. Candidates are drawn from the density of the good trials, and
//! the next trial is the candidate with the largest ratio of that density to the density of the others.
//! Pending suggestions count among the others, as if they had failed (a constant liar): several suggestions
//! at once are thereby kept apart.

use std::collections::BTreeMap;

use models::density::{
    mixture::recency_weights,
    product_parzen::{KernelSettings, Parameter, ProductParzen, Range},
};
use numerics::space::{Domain, Space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    tpe::best,
    tpe_split::{Outcome, share_of_trials, split},
};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

/// How many of the newest trials count fully in a density, while older ones count less.
const REMEMBERED: usize = 25;

/// Settings of multivariate TPE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MultivariateTpeSettings {
    /// Random configurations before as many are told.
    pub startup: usize,
    /// Draws among which the ratio of the densities is maximised.
    pub candidates: usize,
    /// Share of the told trials that is good.
    pub good_fraction: f64,
    /// Most good trials.
    pub good_at_most: usize,
    /// Whether parameters are modelled jointly, not each by itself.
    pub multivariate: bool,
    /// Whether trials that were asked and not yet told count as bad ones, not at all otherwise.
    pub constant_liar: bool,
    /// How densities are made from trials.
    pub kernels: KernelSettings,
}

impl Default for MultivariateTpeSettings {
    fn default() -> Self {
        Self {
            startup: 10,
            candidates: 24,
            good_fraction: 0.1,
            good_at_most: 25,
            multivariate: true,
            constant_liar: true,
            kernels: KernelSettings::default(),
        }
    }
}

/// Multivariate TPE.
#[derive(Debug, Clone)]
pub struct MultivariateTpe {
    space: Space,
    settings: MultivariateTpeSettings,
    asked: u64,
    /// Configurations by the number of the suggestion, with the losses told so far.
    trials: BTreeMap<u64, (Vec<f64>, Option<f64>)>,
}

impl MultivariateTpe {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::minimise::minimise;
    /// use tuners::bayesian::multivariate_tpe::{MultivariateTpe, MultivariateTpeSettings};
    ///
    /// let settings = MultivariateTpeSettings::default();
    /// let mut tuner = MultivariateTpe::new(Bounds::cube(2, 1.0)?, settings)?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.1));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: MultivariateTpeSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        for (key, value) in [
            ("startup", settings.startup),
            ("candidates", settings.candidates),
            ("good-at-most", settings.good_at_most),
        ] {
            if value == 0 {
                return refuse(key, "0".to_owned(), "at least 1");
            }
        }
        let fraction = settings.good_fraction;
        if !(fraction > 0.0 && fraction < 1.0) {
            return refuse("good-fraction", fraction.to_string(), "between 0 and 1");
        }
        let weight = settings.kernels.prior_weight;
        if !(weight >= 0.0 && weight.is_finite()) {
            return refuse("prior-weight", weight.to_string(), "a finite number, at least 0");
        }
        Ok(Self { space: space.into(), settings, asked: 0, trials: BTreeMap::new() })
    }

    fn told(&self) -> usize {
        self.trials.values().filter(|(_, loss)| loss.is_some()).count()
    }

    /// The good trials and the others, each in the order of asking.
    fn divide(&self) -> (Vec<&[f64]>, Vec<&[f64]>) {
        let MultivariateTpeSettings { good_fraction, good_at_most, constant_liar, .. } =
            self.settings;
        let good = share_of_trials(self.told(), good_fraction, good_at_most);
        let counted: Vec<_> =
            self.trials.values().filter(|(_, loss)| constant_liar || loss.is_some()).collect();
        let outcomes: Vec<Outcome> = counted
            .iter()
            .map(|(_, loss)| loss.map_or(Outcome::Running, Outcome::Complete))
            .collect();
        let (good, others) = split(&outcomes, good);
        let of = |numbers: Vec<usize>| numbers.iter().map(|&i| counted[i].0.as_slice()).collect();
        (of(good), of(others))
    }

    /// The best of the candidates, modelled jointly: one value per parameter.
    fn propose(
        &self,
        parameters: &[Parameter],
        good: &[Vec<f64>],
        others: &[Vec<f64>],
        rng: &mut ChaCha12Rng,
    ) -> Vec<f64> {
        let fit = |rows: &[Vec<f64>]| {
            let weights = recency_weights(rows.len(), REMEMBERED);
            ProductParzen::fit(parameters, rows, &weights, self.settings.kernels)
        };
        let (l, g) = (fit(good), fit(others));
        let draws = (0..self.settings.candidates).map(|_| l.draw(rng));
        best(draws, |x| l.ln_density(x) - g.ln_density(x)).unwrap_or_default()
    }
}

/// A domain in the form that densities use.
pub(super) fn parameter(domain: Domain) -> Parameter {
    match domain {
        Domain::Float { low, high, log } => {
            Parameter::Numerical(Range { low, high, log, step: None })
        }
        Domain::Int { low, high, log } => {
            Parameter::Numerical(Range { low: low as f64, high: high as f64, log, step: Some(1.0) })
        }
        Domain::Categorical { choices } => Parameter::Categorical { choices },
    }
}

impl Tuner for MultivariateTpe {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let config = if self.told() < self.settings.startup {
            self.space.draw(rng)
        } else {
            let parameters: Vec<Parameter> = self.space.domains().map(parameter).collect();
            let (good, others) = self.divide();
            let size = if self.settings.multivariate { parameters.len() } else { 1 };
            let part = |(i, part): (usize, &[Parameter])| {
                let columns = |rows: &[&[f64]]| -> Vec<Vec<f64>> {
                    rows.iter().map(|row| row[i * size..i * size + part.len()].to_vec()).collect()
                };
                self.propose(part, &columns(&good), &columns(&others), rng)
            };
            parameters.chunks(size).enumerate().flat_map(part).collect()
        };
        let id = self.asked;
        self.asked += 1;
        self.trials.insert(id, (config.clone(), None));
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    /// A failed trial counts as the worst, as in all tuners here; Optuna leaves it out.
    fn tell(&mut self, trial: Trial) {
        let value = failed_last(trial.value);
        self.trials.insert(trial.suggestion.id, (trial.suggestion.config, Some(value)));
    }
}

#[cfg(test)]
#[path = "multivariate_tpe_tests.rs"]
mod tests;
