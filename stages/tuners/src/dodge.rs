//! DODGE(ε) \[Agrawal2021\]: options that lead to results already seen lose weight, the others gain weight;
//! after a number of random configurations the heaviest options are combined.

use std::collections::BTreeMap;

use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of DODGE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DodgeSettings {
    /// Results closer than this are the same.
    pub epsilon: f64,
    /// Random configurations before weights are used.
    pub starts: usize,
}

impl Default for DodgeSettings {
    /// The default settings: ε = 0.2 and 12 random configurations.
    fn default() -> Self {
        Self { epsilon: 0.2, starts: 12 }
    }
}

/// DODGE. Real parameters have no options to weight: they are drawn between the heaviest value seen and the
/// midpoint between it and the lightest.
#[derive(Debug, Clone)]
pub struct Dodge {
    space: Space,
    settings: DodgeSettings,
    asked: u64,
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl Dodge {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, dodge::{Dodge, DodgeSettings}};
    ///
    /// let mut tuner = Dodge::new(Bounds::cube(2, 1.0)?, DodgeSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If ε is not a positive number.
    pub fn new(space: impl Into<Space>, settings: DodgeSettings) -> Result<Self, Error> {
        let space = space.into();
        if !(settings.epsilon.is_finite() && settings.epsilon > 0.0) {
            let (key, value) = ("epsilon", settings.epsilon.to_string());
            return Err(Error::Setting { key, value, expected: "a finite number > 0" });
        }
        Ok(Self { space, settings, asked: 0, told: BTreeMap::new() })
    }

    /// The weight of every option seen, by parameter and value, computed from all trials in the order of
    /// asking, whatever the order of telling.
    fn weights(&self) -> Vec<BTreeMap<u64, i64>> {
        let mut weights = vec![BTreeMap::new(); self.space.dimensions()];
        let mut seen: Vec<f64> = Vec::new();
        for (config, value) in self.told.values() {
            let old = seen.iter().any(|s| (s - value).abs() <= self.settings.epsilon);
            // A failed evaluation counts like a result already seen.
            let step = if old || !value.is_finite() { -1 } else { 1 };
            for (own, v) in weights.iter_mut().zip(config) {
                *own.entry(v.to_bits()).or_insert(0) += step;
            }
            if value.is_finite() {
                seen.push(*value);
            }
        }
        weights
    }
}

/// Replaces a randomly drawn value according to the weights.
fn prefer(drawn: f64, domain: Domain, weights: &BTreeMap<u64, i64>, rng: &mut ChaCha12Rng) -> f64 {
    let (Some(most), Some(least)) = (weights.values().max(), weights.values().min()) else {
        return drawn;
    };
    let mut of = |weight: &i64| {
        let all: Vec<u64> = weights.iter().filter(|(_, w)| *w == weight).map(|(v, _)| *v).collect();
        f64::from_bits(all[rng.random_range(0..all.len())])
    };
    if domain.values().is_none() {
        let (best, worst) = (domain.to_unit(of(most)), domain.to_unit(of(least)));
        return domain.from_unit(best + 0.5 * rng.random::<f64>() * (worst - best));
    }
    // A value that was never seen has weight 0, and the random value may be one of these.
    let own = weights.get(&drawn.to_bits()).copied().unwrap_or(0);
    if own < *most { of(most) } else { drawn }
}

impl Tuner for Dodge {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let mut config = self.space.draw(rng);
        if self.told.len() >= self.settings.starts {
            let domains: Vec<Domain> = self.space.domains().collect();
            for ((value, domain), weights) in config.iter_mut().zip(domains).zip(self.weights()) {
                *value = prefer(*value, domain, &weights, rng);
            }
        }
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
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use numerics::space::Parameter;

    fn space() -> Space {
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            domain: Domain::Categorical { choices: 4 },
        };
        Space::new(vec![parameter("a"), parameter("b")]).unwrap()
    }

    #[test]
    fn options_that_repeat_results_are_dodged() {
        let mut tuner = Dodge::new(space(), DodgeSettings::default()).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        let mut later = Vec::new();
        for i in 0..40 {
            let suggestion = tuner.ask(&mut rng).unwrap();
            // Only the last option of `a` ever gives a new result.
            let value = if suggestion.config[0] == 3.0 { f64::from(i) } else { -5.0 };
            if i >= 12 {
                later.push(suggestion.config[0]);
            }
            tuner.tell(Trial { suggestion, value });
        }
        let often = later.iter().filter(|&&a| a == 3.0).count();
        assert!(often as f64 > 0.9 * later.len() as f64, "{later:?}");
    }

    #[test]
    fn a_real_value_lies_between_the_heaviest_and_the_middle_to_the_lightest() {
        let domain = Domain::Float { low: 0.0, high: 2.0, log: false };
        let weights = BTreeMap::from([(1.8_f64.to_bits(), 1), (0.2_f64.to_bits(), -1)]);
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let drawn: Vec<f64> = (0..200).map(|_| prefer(0.1, domain, &weights, &mut rng)).collect();
        assert!(drawn.iter().all(|x| (1.0..=1.8).contains(x)));
        assert!(drawn.iter().any(|&x| x < 1.1) && drawn.iter().any(|&x| x > 1.7));
        assert_eq!(prefer(0.1, domain, &BTreeMap::new(), &mut rng), 0.1);
    }
}
