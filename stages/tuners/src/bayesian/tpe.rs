//! Tree-structured Parzen estimators \[Bergstra2011\], one for each parameter independently, with the
//! constants of Optuna.

use std::collections::BTreeMap;

use models::density::parzen::{Choice, Real};
use numerics::space::{Domain, Space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of TPE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TpeSettings {
    /// Random configurations at first.
    pub startup: usize,
    /// Draws among which the ratio of the densities is maximised.
    pub candidates: usize,
    /// Share of the trials that is good.
    pub good_fraction: f64,
    /// Most good trials.
    pub good_at_most: usize,
}

impl Default for TpeSettings {
    fn default() -> Self {
        Self { startup: 10, candidates: 24, good_fraction: 0.1, good_at_most: 25 }
    }
}

/// TPE.
#[derive(Debug, Clone)]
pub struct Tpe {
    space: Space,
    settings: TpeSettings,
    asked: u64,
    /// Configurations and losses by the number of the suggestion.
    told: BTreeMap<u64, (Vec<f64>, f64)>,
}

impl Tpe {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{minimise::minimise, bayesian::tpe::{Tpe, TpeSettings}};
    ///
    /// let mut tuner = Tpe::new(Bounds::cube(2, 1.0)?, TpeSettings::default())?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
    /// assert!(found.best().is_some_and(|best| best.value < 0.5));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: TpeSettings) -> Result<Self, Error> {
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
        Ok(Self { space: space.into(), settings, asked: 0, told: BTreeMap::new() })
    }

    /// The good trials and the others, each in the order of asking.
    fn divide(&self) -> (Vec<&[f64]>, Vec<&[f64]>) {
        let wanted = (self.settings.good_fraction * self.told.len() as f64).ceil() as usize;
        let mut ranked: Vec<(f64, u64)> = self.told.iter().map(|(&id, t)| (t.1, id)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked.truncate(wanted.min(self.settings.good_at_most));
        let chosen = |id: &u64| ranked.iter().any(|(_, good)| good == id);
        let of = |good: bool| {
            let kept = self.told.iter().filter(|(id, _)| chosen(id) == good);
            kept.map(|(_, (config, _))| config.as_slice()).collect()
        };
        (of(true), of(false))
    }

    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let (good, bad) = self.divide();
        let parameter = |(j, domain): (usize, Domain)| match domain {
            Domain::Categorical { choices } => {
                let fit = |rows: &[&[f64]]| {
                    let points: Vec<usize> = rows.iter().map(|r| r[j] as usize).collect();
                    Choice::fit(&points, choices)
                };
                let (l, g) = (fit(&good), fit(&bad));
                let draws = (0..self.settings.candidates).map(|_| l.draw(rng));
                best(draws, |&c| l.ln_density(c) - g.ln_density(c)).map_or(0.0, |c| c as f64)
            }
            // DIFFERS: Optuna gives a whole number the probability of its interval; here it is a
            // real number that is rounded.
            Domain::Float { .. } | Domain::Int { .. } => {
                let fit = |rows: &[&[f64]]| {
                    let points: Vec<f64> = rows.iter().map(|r| domain.to_unit(r[j])).collect();
                    Real::fit(&points)
                };
                let (l, g) = (fit(&good), fit(&bad));
                let draws = (0..self.settings.candidates).map(|_| l.draw(rng));
                let unit = best(draws, |&x| l.ln_density(x) - g.ln_density(x));
                domain.from_unit(unit.unwrap_or(0.5))
            }
        };
        self.space.domains().enumerate().map(parameter).collect()
    }
}

/// The first candidate with the largest score.
pub(crate) fn best<T>(draws: impl Iterator<Item = T>, score: impl Fn(&T) -> f64) -> Option<T> {
    let mut top: Option<(f64, T)> = None;
    for draw in draws {
        let value = score(&draw);
        if top.as_ref().is_none_or(|(highest, _)| value > *highest) {
            top = Some((value, draw));
        }
    }
    top.map(|(_, draw)| draw)
}

impl Tuner for Tpe {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let few = self.told.len() < self.settings.startup;
        let config = if few { self.space.draw(rng) } else { self.propose(rng) };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let value = if trial.value.is_finite() { trial.value } else { f64::INFINITY };
        self.told.insert(trial.suggestion.id, (trial.suggestion.config, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::space::Bounds;

    #[test]
    fn a_tenth_is_good_and_at_most_25() {
        let mut tuner = Tpe::new(Bounds::cube(1, 1.0).unwrap(), TpeSettings::default()).unwrap();
        for id in 0..400_u64 {
            let config = vec![0.0];
            let suggestion = Suggestion { id, config, fidelity: Fidelity::FULL };
            tuner.tell(Trial { suggestion, value: f64::from((id % 7) as u32) });
            let expected = (id + 1).div_ceil(10).min(25) as usize;
            let (good, bad) = tuner.divide();
            assert_eq!((good.len(), bad.len()), (expected, id as usize + 1 - expected));
        }
    }
}
