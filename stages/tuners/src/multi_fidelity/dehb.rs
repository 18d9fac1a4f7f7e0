//! DEHB \[Awad2021\]: Hyperband whose configurations evolve, with one population per budget.

use std::collections::{BTreeMap, VecDeque};

use numerics::space::{Domain, Space};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    brackets::{Bracket, Ladder},
    hyperband::HyperbandSettings,
    schedule::{Schedule, Slot},
};
use crate::{
    evolution::{Evolution, Member, ranked},
    tuner::{Error, Fidelity, Suggestion, Trial, Tuner},
};

/// Settings of DEHB.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DehbSettings {
    /// The brackets.
    pub hyperband: HyperbandSettings,
    /// Constants of the steps.
    pub evolution: Evolution,
}

/// Number of members that a mutation needs.
const PARENTS: usize = 3;

#[derive(Debug, Clone)]
struct Population {
    members: Vec<Member>,
    /// The next member to be a target.
    turn: usize,
    /// Configurations promoted from the budget below and not asked yet.
    promoted: VecDeque<Vec<f64>>,
}

#[derive(Debug, Clone)]
struct Pending {
    divisor: u64,
    place: usize,
    unit: Vec<f64>,
}

/// DEHB.
#[derive(Debug, Clone)]
pub struct Dehb {
    space: Space,
    evolution: Evolution,
    /// Number of brackets of the first cycle, in which configurations are promoted.
    first_cycle: u64,
    schedule: Schedule,
    /// The populations by the divisor of the full budget; filled at the first ask, which provides the random
    /// generator.
    populations: BTreeMap<u64, Population>,
    sizes: BTreeMap<u64, usize>,
    asked: u64,
    pending: BTreeMap<u64, Pending>,
}

/// The size of each budget's population, by divisor: the largest number of configurations that a bracket
/// evaluates there.
pub fn population_sizes(cycle: &[Bracket]) -> BTreeMap<u64, usize> {
    let mut sizes = BTreeMap::new();
    for rung in cycle.iter().flatten() {
        let size = sizes.entry(rung.divisor).or_insert(0);
        *size = rung.size.max(*size);
    }
    sizes
}

impl Dehb {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     evolution::Evolution,
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         dehb::{Dehb, DehbSettings},
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///         hyperband::HyperbandSettings,
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
    /// let mut tuner = Dehb::new(Bounds::cube(2, 1.0)?, DehbSettings { hyperband, evolution: Evolution::default() })?;
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
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: DehbSettings) -> Result<Self, Error> {
        let cycle = Ladder::new(settings.hyperband.budgets)?.cycle();
        Ok(Self {
            space: space.into(),
            evolution: settings.evolution.check()?,
            first_cycle: cycle.len() as u64,
            sizes: population_sizes(&cycle),
            schedule: Schedule::new(cycle, settings.hyperband.brackets),
            populations: BTreeMap::new(),
            asked: 0,
            pending: BTreeMap::new(),
        })
    }

    /// A uniform member. DIFFERS: not in the paper; as in the public code a category starts at the
    /// lower end of its share of [0, 1].
    fn stranger(&self, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let coordinate = |domain: Domain, rng: &mut ChaCha12Rng| match domain {
            Domain::Categorical { choices } => rng.random_range(0..choices) as f64 / choices as f64,
            Domain::Float { .. } | Domain::Int { .. } => rng.random(),
        };
        self.space.domains().map(|d| coordinate(d, rng)).collect()
    }

    fn populate(&mut self, rng: &mut ChaCha12Rng) {
        // The smallest budget first.
        for (&divisor, &size) in self.sizes.iter().rev() {
            let members = (0..size).map(|_| Member::new(self.stranger(rng))).collect();
            let population = Population { members, turn: 0, promoted: VecDeque::new() };
            self.populations.insert(divisor, population);
        }
    }

    /// The member with which the slot's configuration competes, and the configuration.
    fn acquire(&mut self, slot: &Slot, rng: &mut ChaCha12Rng) -> Pending {
        let divisor = slot.rung.divisor;
        let below = slot.below.map(|rung| rung.divisor);
        let place = self.populations.get_mut(&divisor).map_or(0, |own| {
            let place = own.turn;
            own.turn = (place + 1) % own.members.len();
            place
        });
        let unit = match below.filter(|_| slot.bracket < self.first_cycle) {
            Some(below) => self.promote(below, divisor, slot.rung.size),
            None => self.evolve(below.unwrap_or(divisor), slot, place, rng),
        };
        Pending { divisor, place, unit }
    }

    /// The best member of the budget below that this budget's population does not contain yet.
    fn promote(&mut self, below: u64, divisor: u64, size: usize) -> Vec<f64> {
        let candidates: Vec<Vec<f64>> = ranked(&self.populations[&below].members)
            .into_iter()
            .filter(|m| m.evaluated())
            .map(|m| m.unit.clone())
            .collect();
        // The rung below has been told completely, so that there is one.
        let best = candidates[0].clone();
        let Some(own) = self.populations.get_mut(&divisor) else { return best };
        if own.promoted.is_empty() {
            let fresh = |unit: &Vec<f64>| own.members.iter().all(|m| m.unit != *unit);
            own.promoted = candidates.into_iter().filter(fresh).take(size).collect();
        }
        own.promoted.pop_front().unwrap_or(best)
    }

    /// A child of the target at `place` and the best members of the budget `from`.
    fn evolve(&self, from: u64, slot: &Slot, place: usize, rng: &mut ChaCha12Rng) -> Vec<f64> {
        let target = &self.populations[&slot.rung.divisor].members[place].unit;
        let best = ranked(&self.populations[&from].members);
        let mut parents: Vec<Vec<f64>> =
            best.iter().take(slot.rung.size).map(|m| m.unit.clone()).collect();
        if parents.len() < PARENTS {
            // Too few members for a mutation: mutants of all populations fill the pool, one more than needed
            // since the target may be among them.
            let all: Vec<&[f64]> = (self.populations.values().rev())
                .flat_map(|p| p.members.iter().map(|m| m.unit.as_slice()))
                .collect();
            for _ in 0..=PARENTS - parents.len() {
                parents.push(self.evolution.mutant(&all, target, rng));
            }
        }
        let pool: Vec<&[f64]> = parents.iter().map(Vec::as_slice).collect();
        let mutant = self.evolution.mutant(&pool, target, rng);
        self.evolution.child(target, &mutant, rng)
    }
}

impl Tuner for Dehb {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        if self.populations.is_empty() {
            self.populate(rng);
        }
        let slot = self.schedule.next_slot()?;
        let pending = self.acquire(&slot, rng);
        let id = self.asked;
        self.asked += 1;
        let config = self.space.from_unit(&pending.unit);
        self.schedule.fill(&slot, id, config.clone());
        self.pending.insert(id, pending);
        Some(Suggestion { id, config, fidelity: Fidelity::Part { divisor: slot.rung.divisor } })
    }

    fn tell(&mut self, trial: Trial) {
        let id = trial.suggestion.id;
        self.schedule.told(id, trial.value);
        if let Some(Pending { divisor, place, unit }) = self.pending.remove(&id)
            && let Some(population) = self.populations.get_mut(&divisor)
        {
            population.members[place].challenge(unit, trial.value, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::brackets::{Arithmetic, Budgets, Sizes};
    use super::*;

    #[test]
    fn populations_are_as_large_as_the_largest_rung() {
        let budgets = Budgets {
            minimum: 9,
            maximum: 243,
            eta: 3,
            arithmetic: Arithmetic::Exact,
            sizes: Sizes::Code,
        };
        let sizes = population_sizes(&Ladder::new(budgets).unwrap().cycle());
        assert_eq!(sizes, BTreeMap::from([(27, 27), (9, 9), (3, 6), (1, 4)]));
    }
}
