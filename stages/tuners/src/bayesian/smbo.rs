//! Sequential model-based optimisation: a Gaussian process as surrogate and expected improvement as
//! acquisition function (GP-EI), on the features of a mixed space.

use std::collections::BTreeMap;

use models::gp::{
    Gp, GpSettings,
    acquisition::{log_expected_improvement, log_expected_improvement_with_gradient},
};
use numerics::{solve::local_search::Climber, space::Space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{failed::as_worst, fitted::fitted};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SmboSettings {
    /// First points, equally spaced on the diagonal of the unit cube, ends included.
    pub starts: usize,
    /// Random candidates for the acquisition's maximum.
    pub candidates: usize,
    /// Local maximisations: from the best candidate and from random points.
    pub maximisations: usize,
    /// ξ of expected improvement, in units of the loss.
    pub xi: f64,
    /// The process on the features of the unit cube.
    pub gp: GpSettings,
}

impl Default for SmboSettings {
    /// The settings of the baseline in the HOAG paper.
    fn default() -> Self {
        Self {
            starts: 4,
            candidates: 10_000,
            maximisations: 10,
            xi: 0.0,
            gp: GpSettings::default(),
        }
    }
}

/// The tuner.
#[derive(Debug, Clone)]
pub struct Smbo {
    space: Space,
    settings: SmboSettings,
    asked: u64,
    /// Evaluated features and losses, by the number of the suggestion.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl Smbo {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::smbo::{Smbo, SmboSettings}};
    ///
    /// let mut tuner = Smbo::new(Bounds::cube(2, 1.0)?, SmboSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 20, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: SmboSettings) -> Result<Self, Error> {
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if settings.starts < 2 {
            return refuse("starts", settings.starts.to_string(), "at least 2");
        }
        if settings.candidates == 0 {
            return refuse("candidates", "0".to_owned(), "at least 1");
        }
        if !(settings.xi.is_finite() && settings.xi >= 0.0) {
            return refuse("xi", settings.xi.to_string(), "a finite number ≥ 0");
        }
        Ok(Self { space: space.into(), settings, asked: 0, told: BTreeMap::new() })
    }

    /// The maximiser of expected improvement in the unit cube; a random point if no process can be fitted.
    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let told = fitted(self.told.values(), |(_, loss)| *loss);
        let points: Vec<Vec<f64>> = told.iter().map(|(p, _)| p.clone()).collect();
        let Some(losses) = as_worst(told.iter().map(|(_, v)| *v)) else {
            return self.space.draw_unit(rng);
        };
        let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let Ok(gp) = Gp::fit(&points, &losses, self.settings.gp, rng) else {
            return self.space.draw_unit(rng);
        };
        let xi = self.settings.xi;
        let mut top = (f64::NEG_INFINITY, self.space.draw_unit(rng));
        for _ in 0..self.settings.candidates {
            let x = self.space.draw_unit(rng);
            let (mean, deviation) = gp.predict(&self.space.features(&x));
            let value = log_expected_improvement(mean, deviation, best, xi);
            if value > top.0 {
                top = (value, x);
            }
        }
        let Some(climber) = Climber::new(&self.space) else {
            return top.1;
        };
        for i in 0..self.settings.maximisations {
            let start = if i == 0 { top.1.clone() } else { self.space.draw_unit(rng) };
            let found = climber.climb(start, 1e-4, 50, |features| {
                let p = gp.predict_with_gradient(features);
                log_expected_improvement_with_gradient(&p, best, xi)
            });
            if found.0 > top.0 {
                top = found;
            }
        }
        top.1
    }
}

impl Tuner for Smbo {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let starts = self.settings.starts as u64;
        let unit = if self.asked < starts {
            vec![self.asked as f64 / (starts - 1) as f64; self.space.dimensions()]
        } else {
            self.propose(rng)
        };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config: self.space.from_unit(&unit), fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let unit = self.space.to_unit(&trial.suggestion.config);
        self.told.insert(trial.suggestion.id, (self.space.features(&unit), trial.value));
    }
}
