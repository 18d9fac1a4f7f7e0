//! Differential evolution, rand/1/bin \[Storn1997\], with immediate replacement of members.

use std::collections::BTreeMap;

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::evolution::{Evolution, Member};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DifferentialEvolutionSettings {
    /// Members of the population.
    pub population: usize,
    /// Constants of the steps.
    pub evolution: Evolution,
}

impl Default for DifferentialEvolutionSettings {
    fn default() -> Self {
        Self { population: 20, evolution: Evolution::default() }
    }
}

/// Differential evolution in the unit cube of a space; categories have equal shares of [0, 1].
#[derive(Debug, Clone)]
pub struct DifferentialEvolution {
    space: Space,
    settings: DifferentialEvolutionSettings,
    members: Vec<Member>,
    asked: u64,
    /// Pending children, by the number of the suggestion.
    pending: BTreeMap<u64, Vec<f64>>,
}

impl DifferentialEvolution {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, differential_evolution::{DifferentialEvolution, DifferentialEvolutionSettings}};
    ///
    /// let mut tuner = DifferentialEvolution::new(Bounds::cube(2, 1.0)?, DifferentialEvolutionSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 200, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(
        space: impl Into<Space>,
        settings: DifferentialEvolutionSettings,
    ) -> Result<Self, Error> {
        settings.evolution.check()?;
        if settings.population < 4 {
            return Err(Error::Setting {
                key: "population",
                value: settings.population.to_string(),
                expected: "at least 4",
            });
        }
        let (members, pending) = (Vec::new(), BTreeMap::new());
        Ok(Self { space: space.into(), settings, members, asked: 0, pending })
    }

    /// The index of a suggestion in the population.
    fn place(&self, id: u64) -> usize {
        (id % self.settings.population as u64) as usize
    }
}

impl Tuner for DifferentialEvolution {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let id = self.asked;
        self.asked += 1;
        let unit = if self.members.len() < self.settings.population {
            let unit = self.space.draw_unit(rng);
            self.members.push(Member::new(unit.clone()));
            unit
        } else {
            let target = &self.members[self.place(id)].unit;
            let pool: Vec<&[f64]> = self.members.iter().map(|m| m.unit.as_slice()).collect();
            let steps = self.settings.evolution;
            let mutant = steps.mutant(&pool, target, rng);
            steps.child(target, &mutant, rng)
        };
        let config = self.space.from_unit(&unit);
        self.pending.insert(id, unit);
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let id = trial.suggestion.id;
        if let Some(unit) = self.pending.remove(&id) {
            let place = self.place(id);
            self.members[place].challenge(unit, trial.value, id);
        }
    }
}
