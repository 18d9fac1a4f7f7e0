//! Asynchronous successive halving, ASHA \[Li2020\] algorithm 2: no rung waits for its last evaluation. Whenever a
//! worker is free, a configuration that is among the best 1/η of its rung so far is promoted, from the highest rung
//! that has one; otherwise the lowest rung grows by a random configuration.

use std::collections::{BTreeMap, BTreeSet};

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::brackets::{Budgets, Ladder};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner, failed_last};

/// Settings of ASHA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AshaSettings {
    /// The budgets.
    pub budgets: Budgets,
    /// How many of the smallest budgets are left out: s, the rate of early stopping.
    pub early_stopping: usize,
}

/// A configuration whose evaluation at a rung was told.
#[derive(Debug, Clone)]
struct Entrant {
    config: Vec<f64>,
    /// Failed evaluations have +∞.
    loss: f64,
}

/// ASHA.
#[derive(Debug, Clone)]
pub struct Asha {
    space: Space,
    eta: u64,
    asked: u64,
    /// Divisors of the full budget, one per rung, the lowest rung first.
    divisors: Vec<u64>,
    /// What was told at each rung, by the number of the suggestion.
    rungs: Vec<BTreeMap<u64, Entrant>>,
    /// Suggestions whose configurations were promoted.
    promoted: BTreeSet<u64>,
}

impl Asha {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         asha::{Asha, AshaSettings},
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///     },
    /// };
    ///
    /// let budgets = Budgets {
    ///     minimum: 1,
    ///     maximum: 9,
    ///     eta: 3,
    ///     arithmetic: Arithmetic::Exact,
    ///     sizes: Sizes::Paper,
    /// };
    /// let settings = AshaSettings { budgets, early_stopping: 0 };
    /// let mut tuner = Asha::new(Bounds::cube(2, 1.0)?, settings)?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// // `s.fidelity` says which part of the full resource the loss is wanted on.
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| {
    ///     let share = s.fidelity.of(1.0);
    ///     s.config.iter().map(|x| x * x).sum::<f64>() + 0.1 * (1.0 - share)
    /// });
    /// assert!(found.trials.iter().any(|trial| trial.suggestion.fidelity.of(9.0) == 9.0));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: AshaSettings) -> Result<Self, Error> {
        let ladder = Ladder::new(settings.budgets)?;
        if settings.early_stopping >= ladder.rungs() {
            return Err(Error::Setting {
                key: "early-stopping",
                value: settings.early_stopping.to_string(),
                expected: "less than the number of budgets",
            });
        }
        let divisors = ladder.divisors().split_off(settings.early_stopping);
        let rungs = vec![BTreeMap::new(); divisors.len()];
        let (space, eta) = (space.into(), settings.budgets.eta);
        Ok(Self { space, eta, asked: 0, divisors, rungs, promoted: BTreeSet::new() })
    }

    /// The best suggestion of a rung that is among the best ⌊n/η⌋ of n told there and not yet promoted; of equals the
    /// earlier one is the better.
    ///
    /// The paper does not speak of failed evaluations; they are not promoted, whatever their rank.
    fn promotable(&self, rung: usize) -> Option<u64> {
        let told = &self.rungs[rung];
        let mut ranked: Vec<(f64, u64)> = told.iter().map(|(&id, e)| (e.loss, id)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranked.truncate((told.len() as u64 / self.eta) as usize);
        let free = |(loss, id): &(f64, u64)| loss.is_finite() && !self.promoted.contains(id);
        ranked.into_iter().find(free).map(|(_, id)| id)
    }
}

impl Tuner for Asha {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let mut below_top = (0..self.rungs.len() - 1).rev();
        let found = below_top.find_map(|rung| Some((rung, self.promotable(rung)?)));
        let (rung, config) = if let Some((rung, id)) = found {
            self.promoted.insert(id);
            (rung + 1, self.rungs[rung][&id].config.clone())
        } else {
            (0, self.space.draw(rng))
        };
        let id = self.asked;
        self.asked += 1;
        let divisor = self.divisors[rung];
        Some(Suggestion { id, config, fidelity: Fidelity::Part { divisor } })
    }

    fn tell(&mut self, trial: Trial) {
        let Trial { suggestion: Suggestion { id, config, fidelity }, value } = trial;
        let Fidelity::Part { divisor } = fidelity else { return };
        let loss = failed_last(value);
        if let Some(rung) = self.divisors.iter().position(|own| *own == divisor) {
            self.rungs[rung].insert(id, Entrant { config, loss });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multi_fidelity::brackets::{Arithmetic, Sizes};
    use numerics::space::Bounds;
    use rand_chacha::rand_core::SeedableRng as _;

    fn asha(early_stopping: usize) -> Result<Asha, Error> {
        let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Paper);
        let budgets = Budgets { minimum: 1, maximum: 9, eta: 3, arithmetic, sizes };
        Asha::new(Bounds::cube(1, 1.0).unwrap(), AshaSettings { budgets, early_stopping })
    }

    /// Where each of 13 suggestions is evaluated, and the earlier suggestion whose configuration it has, if the loss of
    /// a configuration is `sign` times the number of its first suggestion.
    fn places(sign: f64) -> Vec<(u64, Option<usize>)> {
        let (mut tuner, mut rng) = (asha(0).unwrap(), ChaCha12Rng::seed_from_u64(1));
        let mut seen: Vec<Suggestion> = Vec::new();
        let mut found = Vec::new();
        while seen.len() < 13 {
            let suggestion = tuner.ask(&mut rng).unwrap();
            let origin = seen.iter().position(|s| s.config == suggestion.config);
            found.push((suggestion.fidelity.of(9.0) as u64, origin));
            let value = sign * origin.unwrap_or(seen.len()) as f64;
            seen.push(suggestion.clone());
            tuner.tell(Trial { suggestion, value });
        }
        found
    }

    /// By hand: each new configuration is worse than all before it, so that one more belongs to the best third
    /// whenever there are three more; the third at the middle rung sends its best on.
    #[test]
    fn a_third_is_promoted_and_the_highest_rung_goes_first() {
        let new = (1, None);
        let expected: [&[(u64, Option<usize>)]; 3] = [
            &[new, new, new, (3, Some(0))],
            &[new, new, new, (3, Some(1))],
            &[new, new, new, (3, Some(2)), (9, Some(0))],
        ];
        assert_eq!(places(1.0), expected.concat());
    }

    /// By hand: each new configuration is better than all before it, and among the best third at once. More than a third
    /// is promoted then, since promotions are not taken back.
    #[test]
    fn the_best_of_its_rung_is_promoted_at_once() {
        let new = (1, None);
        let expected: [&[(u64, Option<usize>)]; 5] = [
            &[new, new, new, (3, Some(2))],
            &[new, (3, Some(4))],
            &[new, (3, Some(6)), (9, Some(6))],
            // The second of six, and the first of four at the middle rung.
            &[new, (3, Some(9)), (9, Some(9))],
            &[new],
        ];
        assert_eq!(places(-1.0), expected.concat());
    }

    /// Workers that end out of order: no configuration is promoted twice from a rung, and none of the best third that
    /// was told is left behind.
    #[test]
    fn the_best_third_of_each_rung_has_gone_on() {
        let (mut tuner, mut rng) = (asha(0).unwrap(), ChaCha12Rng::seed_from_u64(2));
        let mut waiting: Vec<Suggestion> = Vec::new();
        for step in 0..600 {
            waiting.push(tuner.ask(&mut rng).unwrap());
            if waiting.len() == 7 {
                let suggestion = waiting.swap_remove(step % 7);
                let value = suggestion.config[0].abs();
                tuner.tell(Trial { suggestion, value });
            }
        }
        let [low, middle, top] = [0, 1, 2].map(|rung| {
            let configs = tuner.rungs[rung].values().map(|e| e.config[0].to_bits());
            let distinct: BTreeSet<u64> = configs.collect();
            assert_eq!(distinct.len(), tuner.rungs[rung].len());
            distinct.len()
        });
        assert!(middle + 7 >= low / 3 && top + 7 >= middle / 3 && top > 0, "{low} {middle} {top}");
    }

    #[test]
    fn failed_evaluations_are_not_promoted_and_small_budgets_can_be_left_out() {
        let (mut tuner, mut rng) = (asha(1).unwrap(), ChaCha12Rng::seed_from_u64(3));
        for _ in 0..30 {
            let suggestion = tuner.ask(&mut rng).unwrap();
            assert_eq!(suggestion.fidelity, Fidelity::Part { divisor: 3 });
            tuner.tell(Trial { suggestion, value: f64::NAN });
        }
        assert!(asha(3).unwrap_err().to_string().starts_with("early-stopping = 3"));
    }
}
