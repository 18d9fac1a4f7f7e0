//! CMA-ES: a normal distribution over the unit cube that moves towards better configurations and learns their
//! shape \[Hansen2016, arXiv 1604.00772\], restarted with twice the population once it has converged
//! \[Auger2005\].

pub mod distribution;
pub mod strategy;

use std::collections::BTreeMap;

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};

use self::{distribution::Distribution, strategy::Strategy};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

/// How often a point outside the cube is redrawn before its coordinates are clipped.
const REDRAWN: usize = 100;
/// A distribution that is this much narrower than initially has converged.
const SETTLED: f64 = 1e-9;
/// A distribution that is this much wider along one direction than along another is ill-conditioned.
const CONDITION: f64 = 1e7;

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CmaEsSettings {
    /// Configurations per generation; 4 + ⌊3 ln n⌋ where it is not given.
    pub population: Option<usize>,
    /// Standard deviation of the first generation, as a share of each parameter's range.
    pub step: f64,
    /// Learns one variance per parameter and no correlations: in many dimensions.
    pub diagonal: bool,
}

impl Default for CmaEsSettings {
    /// The settings of the package cmaes as Optuna calls it.
    fn default() -> Self {
        Self { population: None, step: 1.0 / 6.0, diagonal: false }
    }
}

/// CMA-ES in the unit cube of a space, from its centre; categories have equal shares of [0, 1].
///
/// A generation is told as a whole: [`Tuner::ask`] returns `None` while all suggestions of a generation are
/// pending.
#[derive(Debug, Clone)]
pub struct CmaEs {
    space: Space,
    settings: CmaEsSettings,
    distribution: Distribution,
    asked: u64,
    /// The points of this generation by the number of the suggestion, with the losses told so far.
    generation: BTreeMap<u64, (Vec<f64>, Option<f64>)>,
}

impl CmaEs {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{cma_es::{CmaEs, CmaEsSettings}, minimise::minimise};
    ///
    /// let mut tuner = CmaEs::new(Bounds::cube(2, 1.0)?, CmaEsSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 200, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 1e-4));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: CmaEsSettings) -> Result<Self, Error> {
        let space = space.into();
        let refuse = |key, value: String, expected| Err(Error::Setting { key, value, expected });
        if let Some(population) = settings.population
            && population < 2
        {
            return refuse("population", population.to_string(), "at least 2");
        }
        if !(settings.step.is_finite() && settings.step > 0.0) {
            return refuse("step", settings.step.to_string(), "a finite number > 0");
        }
        let n = space.dimensions();
        let population = settings.population.unwrap_or_else(|| Strategy::default_population(n));
        let distribution = Self::first(n, population, settings);
        Ok(Self { space, settings, distribution, asked: 0, generation: BTreeMap::new() })
    }

    fn first(dimensions: usize, population: usize, settings: CmaEsSettings) -> Distribution {
        let strategy = if settings.diagonal {
            Strategy::diagonal(dimensions, population)
        } else {
            Strategy::full(dimensions, population)
        };
        Distribution::new(strategy, vec![0.5; dimensions], settings.step, settings.diagonal)
    }

    /// The distribution that the next suggestion is drawn from.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// A point of the cube.
    fn draw(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let inside = |x: &Vec<f64>| x.iter().all(|u| (0.0..=1.0).contains(u));
        let point = |rng: &mut ChaCha12Rng| {
            let z: Vec<f64> =
                (0..self.space.dimensions()).map(|_| StandardNormal.sample(rng)).collect();
            self.distribution.point(&z)
        };
        let mut drawn = point(rng);
        for _ in 1..REDRAWN {
            if inside(&drawn) {
                return drawn;
            }
            drawn = point(rng);
        }
        drawn.iter().map(|u| u.clamp(0.0, 1.0)).collect()
    }

    /// Whether the distribution has converged.
    fn settled(&self) -> bool {
        let (widest, narrowest) = self.distribution.spread();
        !(widest > SETTLED * self.settings.step && widest < CONDITION * narrowest)
    }
}

impl Tuner for CmaEs {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        if self.generation.len() == self.distribution.strategy.population {
            return None;
        }
        let unit = self.draw(rng);
        let id = self.asked;
        self.asked += 1;
        let config = self.space.from_unit(&unit);
        self.generation.insert(id, (unit, None));
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let Some((_, loss)) = self.generation.get_mut(&trial.suggestion.id) else { return };
        // A failed evaluation counts as the worst.
        *loss = Some(failed_last(trial.value));
        let population = self.distribution.strategy.population;
        let told = self.generation.values().filter(|(_, loss)| loss.is_some()).count();
        if told < population {
            return;
        }
        let (points, losses): (Vec<_>, Vec<_>) = std::mem::take(&mut self.generation)
            .into_values()
            .map(|(unit, loss)| (unit, loss.unwrap_or(f64::INFINITY)))
            .unzip();
        self.distribution.tell(&points, &losses);
        if self.settled() {
            self.distribution = Self::first(self.space.dimensions(), 2 * population, self.settings);
        }
    }
}
