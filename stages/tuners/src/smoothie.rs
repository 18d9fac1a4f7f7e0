//! SMOOTHIE \[Yedida2024\] algorithm 1: many random configurations are probed for a cheap statistic, the
//! smoothness of their loss, and only those with the most extreme one are run in full.

use std::collections::BTreeMap;

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Which statistics are run in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The highest, as the paper's prose and most of its code have it.
    Highest,
    /// The lowest.
    Lowest,
}

/// Settings of SMOOTHIE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SmoothieSettings {
    /// N₁, configurations that are probed.
    pub probes: usize,
    /// N₂, configurations that are run in full.
    pub full: usize,
    /// Which.
    pub direction: Direction,
}

impl Default for SmoothieSettings {
    /// The paper's settings, 30 and 5.
    fn default() -> Self {
        Self { probes: 30, full: 5, direction: Direction::Highest }
    }
}

/// SMOOTHIE. It is told the statistic of probes and the loss of full runs. It makes N₁ + N₂ suggestions, the
/// full ones only after all probes are told.
#[derive(Debug, Clone)]
pub struct Smoothie {
    space: Space,
    settings: SmoothieSettings,
    /// Probed configurations, by the number of the suggestion.
    probed: Vec<Vec<f64>>,
    statistics: BTreeMap<u64, f64>,
    full: u64,
}

impl Smoothie {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     smoothie::{Smoothie, SmoothieSettings},
    ///     tuner::Fidelity,
    /// };
    ///
    /// // A probe is told a statistic that is large where the loss will be low.
    /// let mut tuner = Smoothie::new(Bounds::cube(2, 1.0)?, SmoothieSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| {
    ///     let loss: f64 = s.config.iter().map(|x| x * x).sum();
    ///     if s.fidelity == Fidelity::Probe { -loss } else { loss }
    /// });
    /// let trained = found.trials.iter().filter(|t| t.suggestion.fidelity != Fidelity::Probe);
    /// assert!(trained.count() > 0);
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: SmoothieSettings) -> Result<Self, Error> {
        if settings.full == 0 || settings.full > settings.probes {
            return Err(Error::Setting {
                key: "full",
                value: settings.full.to_string(),
                expected: "at least 1 and at most `probes`",
            });
        }
        let (probed, statistics) = (Vec::new(), BTreeMap::new());
        Ok(Self { space: space.into(), settings, probed, statistics, full: 0 })
    }

    /// The probe of rank `at`: the most extreme first, of equals the earlier first, failed ones last.
    fn ranked(&self, at: u64) -> Option<&Vec<f64>> {
        let sign = match self.settings.direction {
            Direction::Highest => -1.0,
            Direction::Lowest => 1.0,
        };
        let key = |v: f64| if v.is_finite() { sign * v } else { f64::INFINITY };
        let mut order: Vec<(f64, u64)> =
            self.statistics.iter().map(|(&id, &v)| (key(v), id)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (_, id) = order.get(at as usize)?;
        self.probed.get(*id as usize)
    }
}

impl Tuner for Smoothie {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let id = self.probed.len() as u64;
        if self.probed.len() < self.settings.probes {
            let config = self.space.draw(rng);
            self.probed.push(config.clone());
            return Some(Suggestion { id, config, fidelity: Fidelity::Probe });
        }
        if self.statistics.len() < self.settings.probes || self.full >= self.settings.full as u64 {
            return None;
        }
        let config = self.ranked(self.full)?.clone();
        let id = id + self.full;
        self.full += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let Suggestion { id, fidelity, .. } = trial.suggestion;
        // Losses of full runs do not change the search.
        if fidelity == Fidelity::Probe && id < self.settings.probes as u64 {
            self.statistics.insert(id, trial.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Bounds;
    use rand_chacha::rand_core::SeedableRng as _;

    #[test]
    fn the_most_extreme_probes_are_run_in_order() {
        let statistics = [0.3, f64::NAN, 0.9, -0.2, 0.9];
        for (direction, expected) in
            [(Direction::Highest, [2, 4, 0]), (Direction::Lowest, [3, 0, 2])]
        {
            let settings = SmoothieSettings { probes: 5, full: 3, direction };
            let mut tuner = Smoothie::new(Bounds::cube(2, 1.0).unwrap(), settings).unwrap();
            let mut rng = ChaCha12Rng::seed_from_u64(1);
            let probes: Vec<Suggestion> = (0..5).map(|_| tuner.ask(&mut rng).unwrap()).collect();
            assert!(probes.iter().all(|p| p.fidelity == Fidelity::Probe));
            assert_eq!(tuner.ask(&mut rng), None);
            for (suggestion, value) in probes.iter().cloned().zip(statistics) {
                tuner.tell(Trial { suggestion, value });
            }
            for i in expected {
                let full = tuner.ask(&mut rng).unwrap();
                assert_eq!((full.fidelity, &full.config), (Fidelity::FULL, &probes[i].config));
            }
            assert_eq!(tuner.ask(&mut rng), None);
        }
    }

    #[test]
    fn more_full_runs_than_probes_are_refused() {
        let settings = SmoothieSettings { probes: 5, full: 6, direction: Direction::Highest };
        assert!(Smoothie::new(Bounds::cube(1, 1.0).unwrap(), settings).is_err());
    }
}
