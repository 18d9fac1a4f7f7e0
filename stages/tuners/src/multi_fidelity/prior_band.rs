//! `PriorBand` \[Mallik2023\]: Hyperband whose new configurations have three sources: chance, a prior around what an
//! expert believes to be best, and mutations of the incumbent. The larger the budget on which a bracket starts, the
//! less is left to chance; prior and incumbent share the rest by how likely the best configurations are under each.

use std::collections::BTreeMap;

use numerics::space::Space;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    around::Around, belief::Belief, brackets::Ladder, hyperband::HyperbandSettings,
    schedule::Schedule,
};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of `PriorBand`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PriorBandSettings {
    /// The brackets.
    pub hyperband: HyperbandSettings,
    /// What is believed to be best: one number per parameter, categories by index; empty for no belief, which makes
    /// the prior flat.
    #[schemars(with = "Vec<f32>")]
    #[serde(default)]
    pub belief: Belief,
    /// Trust in the belief: the prior's standard deviation is what this lacks of 1, as a share of a parameter's range,
    /// and a believed category has this probability.
    pub confidence: f64,
    /// Probability with which a mutation changes a parameter.
    pub mutation_rate: f64,
    /// Standard deviation of a mutation, as a share of the range.
    pub mutation_deviation: f64,
}

impl PriorBandSettings {
    /// The published defaults on these brackets, without a belief.
    pub fn on(hyperband: HyperbandSettings) -> Self {
        Self {
            hyperband,
            belief: Belief::default(),
            confidence: 0.75,
            mutation_rate: 0.5,
            mutation_deviation: 0.25,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let refuse = |key, value: f64, expected| {
            Err(Error::Setting { key, value: value.to_string(), expected })
        };
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return refuse("confidence", self.confidence, "between 0 and 1");
        }
        if !(self.mutation_rate > 0.0 && self.mutation_rate <= 1.0) {
            return refuse("mutation-rate", self.mutation_rate, "above 0, at most 1");
        }
        if !(self.mutation_deviation.is_finite() && self.mutation_deviation > 0.0) {
            return refuse("mutation-deviation", self.mutation_deviation, "a finite number > 0");
        }
        Ok(())
    }
}

/// The probabilities of the sources of a new configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sources {
    chance: f64,
    prior: f64,
    incumbent: f64,
}

/// `PriorBand`.
#[derive(Debug, Clone)]
pub struct PriorBand {
    space: Space,
    settings: PriorBandSettings,
    /// The believed configuration.
    believed: Option<Vec<f64>>,
    /// The divisor of the smallest budget.
    largest: u64,
    schedule: Schedule,
    asked: u64,
    /// Configurations and finite losses by the divisor of the full budget, then by the number of the suggestion.
    told: BTreeMap<u64, BTreeMap<u64, (Vec<f64>, f64)>>,
    /// What all evaluations cost, and what the first bracket does, in smallest budgets.
    spent: u64,
    first_bracket: u64,
}

impl PriorBand {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         belief::Belief,
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///         hyperband::HyperbandSettings,
    ///         prior_band::{PriorBand, PriorBandSettings},
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
    /// let hyperband = HyperbandSettings { budgets, brackets: Some(3) };
    /// let belief = Belief::try_from(vec![0.1, -0.1])?;
    /// let settings = PriorBandSettings { belief, ..PriorBandSettings::on(hyperband) };
    /// let mut tuner = PriorBand::new(Bounds::cube(2, 1.0)?, settings)?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// // `s.fidelity` says which part of the full resource the loss is wanted on.
    /// let found = minimise(&mut tuner, 60, &mut rng, |s| {
    ///     let share = s.fidelity.of(1.0);
    ///     s.config.iter().map(|x| x * x).sum::<f64>() + 0.1 * (1.0 - share)
    /// });
    /// assert!(found.trials.iter().any(|trial| trial.suggestion.fidelity.of(9.0) == 1.0));
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a setting is out of range, or the belief is no configuration of the space.
    pub fn new(space: impl Into<Space>, settings: PriorBandSettings) -> Result<Self, Error> {
        settings.check()?;
        let space = space.into();
        let believed = settings.belief.within(&space)?;
        let ladder = Ladder::new(settings.hyperband.budgets)?;
        let largest = ladder.divisors().into_iter().max().unwrap_or(1);
        let first = ladder.bracket(0);
        let first_bracket = first.iter().map(|r| r.size as u64 * (largest / r.divisor)).sum();
        let schedule = Schedule::new(ladder.cycle(), settings.hyperband.brackets);
        let (asked, told, spent) = (0, BTreeMap::new(), 0);
        Ok(Self { space, settings, believed, largest, schedule, asked, told, spent, first_bracket })
    }

    /// The distribution around a configuration.
    fn around<'a>(&'a self, centre: &'a [f64]) -> Around<'a> {
        let confidence = self.settings.confidence;
        Around { space: &self.space, centre, deviation: 1.0 - confidence, kept: confidence }
    }

    /// The configuration with the lowest loss on any budget, of equals the earliest, as in the public code.
    fn incumbent(&self) -> Option<&[f64]> {
        let all = self.told.values().flatten();
        let best = all.min_by(|(a, (_, x)), (b, (_, y))| x.total_cmp(y).then(a.cmp(b)));
        best.map(|(_, (config, _))| config.as_slice())
    }

    /// The configurations on which prior and incumbent are compared: the best 1/η of the largest budget that has η,
    /// the best first. None before a full evaluation and the cost of a first bracket.
    ///
    /// As in the paper. The public code (`NePS`) wants exactly η on a rung, and counts what was spent with the number of
    /// a rung as a factor.
    fn best(&self) -> Vec<&[f64]> {
        let eta = self.settings.hyperband.budgets.eta as usize;
        if self.spent < self.first_bracket || !self.told.contains_key(&1) {
            return Vec::new();
        }
        let Some(told) = self.told.values().find(|told| told.len() >= eta) else {
            return Vec::new();
        };
        let mut ranked: Vec<_> =
            told.iter().map(|(id, (config, loss))| (loss, id, config)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(b.0).then(a.1.cmp(b.1)));
        ranked.truncate(told.len() / eta);
        ranked.into_iter().map(|(_, _, config)| config.as_slice()).collect()
    }

    /// The part of the incumbent in what prior and incumbent have together: by the densities of the best
    /// configurations, of which the k-th of n counts n + 1 − k times.
    fn part_of_incumbent(&self) -> f64 {
        let best = self.best();
        let (Some(incumbent), false) = (self.incumbent(), best.is_empty()) else { return 0.0 };
        let score = |density: &dyn Fn(&[f64]) -> f64| -> f64 {
            let ranked = best.iter().zip((1..=best.len()).rev());
            ranked.map(|(config, weight)| weight as f64 * density(config)).sum()
        };
        let own = score(&|config| self.around(incumbent).density(config));
        let prior = score(&|config| {
            self.believed.as_ref().map_or(1.0, |centre| self.around(centre).density(config))
        });
        if own + prior > 0.0 { own / (own + prior) } else { 0.5 }
    }

    /// The sources of a configuration that starts on 1/divisor of the full budget.
    fn sources(&self, divisor: u64) -> Sources {
        // The rung's number is the logarithm of this to the base η.
        let chance = 1.0 / (1.0 + (self.largest / divisor) as f64);
        let incumbent = (1.0 - chance) * self.part_of_incumbent();
        Sources { chance, prior: 1.0 - chance - incumbent, incumbent }
    }

    fn sample(&self, divisor: u64, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let sources = self.sources(divisor);
        let drawn: f64 = rng.random();
        match (self.incumbent(), &self.believed) {
            (Some(incumbent), _) if drawn < sources.incumbent => {
                let PriorBandSettings { mutation_rate, mutation_deviation: deviation, .. } =
                    self.settings;
                let mutation = Around { deviation, kept: 0.0, ..self.around(incumbent) };
                mutation.mutant(mutation_rate, rng)
            }
            (_, Some(believed)) if drawn < sources.incumbent + sources.prior => {
                self.around(believed).draw(rng)
            }
            _ => self.space.draw(rng),
        }
    }
}

impl Tuner for PriorBand {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let slot = self.schedule.next_slot()?;
        let divisor = slot.rung.divisor;
        let config = slot.promoted.clone().unwrap_or_else(|| self.sample(divisor, rng));
        let id = self.asked;
        self.asked += 1;
        self.schedule.fill(&slot, id, config.clone());
        Some(Suggestion { id, config, fidelity: Fidelity::Part { divisor } })
    }

    fn tell(&mut self, trial: Trial) {
        let Trial { suggestion: Suggestion { id, config, fidelity }, value } = trial;
        self.schedule.told(id, value);
        let Fidelity::Part { divisor } = fidelity else { return };
        self.spent += self.largest / divisor;
        if value.is_finite() {
            self.told.entry(divisor).or_default().insert(id, (config, value));
        }
    }
}

#[cfg(test)]
#[path = "prior_band_tests.rs"]
mod tests;
