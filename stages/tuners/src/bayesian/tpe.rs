//! Tree-structured Parzen estimators \[Bergstra2011\], one for each parameter independently, with the
//! constants of Optuna.

use models::density::parzen::{Choice, Real};
use numerics::space::{Domain, Space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    tpe_split::share_of_trials,
    tpe_trials::{Division, TpeTrials},
};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

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
    trials: TpeTrials,
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
        let space = space.into();
        Ok(Self { trials: TpeTrials::new(space.clone()), space, settings, asked: 0 })
    }

    fn divide(&self) -> Division<'_> {
        let TpeSettings { good_fraction, good_at_most, .. } = self.settings;
        self.trials.divide(share_of_trials(self.trials.len(), good_fraction, good_at_most))
    }

    fn propose(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let division = self.divide();
        let candidates = self.settings.candidates;
        let parameter = |(j, domain): (usize, Domain)| match domain {
            Domain::Categorical { choices } => {
                let chosen = |x: f64| x as usize;
                let l = Choice::fit(division.good(j).into_iter().map(chosen), choices);
                let mut others = division.others(j);
                others.sort_unstable_by_key(|&(_, age)| age);
                let g = Choice::fit(others.into_iter().map(|(x, _)| chosen(x)), choices);
                let draws = (0..candidates).map(|_| l.draw(rng));
                best(draws, |&c| l.ln_density(c) - g.ln_density(c)).map_or(0.0, |c| c as f64)
            }
            // DIFFERS: Optuna gives a whole number the probability of its interval; here it is a
            // real number that is rounded.
            Domain::Float { .. } | Domain::Int { .. } => {
                let l = Real::fit(&division.good(j));
                let g = Real::fit_sorted(division.others(j).into_iter());
                let draws: Vec<f64> = (0..candidates).map(|_| l.draw(rng)).collect();
                let (l, g) = (l.ln_densities(&draws), g.ln_densities(&draws));
                let scored = draws.into_iter().zip(l).zip(g);
                let unit = best(scored, |((_, l), g)| l - g).map_or(0.5, |((x, _), _)| x);
                domain.from_unit(unit)
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
        let few = self.trials.len() < self.settings.startup;
        let config = if few { self.space.draw(rng) } else { self.propose(rng) };
        let id = self.asked;
        self.asked += 1;
        Some(Suggestion { id, config, fidelity: Fidelity::FULL })
    }

    fn tell(&mut self, trial: Trial) {
        let value = failed_last(trial.value);
        self.trials.tell(trial.suggestion.id, trial.suggestion.config, value);
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
            assert_eq!(tuner.divide().sizes(), (expected, id as usize + 1 - expected));
        }
    }
}
