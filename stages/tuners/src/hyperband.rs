//! Hyperband \[Li2018\]: successive halving from every budget in turn. Knows no model.

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    brackets::{Budgets, Ladder},
    schedule::Schedule,
};
use crate::tuner::{Error, Fidelity, Suggestion, Trial, Tuner};

/// Settings of Hyperband.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HyperbandSettings {
    /// The budgets.
    pub budgets: Budgets,
    /// How many brackets; `None` for no end.
    pub brackets: Option<u64>,
}

/// Hyperband.
#[derive(Debug, Clone)]
pub struct Hyperband {
    space: Space,
    schedule: Schedule,
    asked: u64,
}

impl Hyperband {
    /// A tuner on a space.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(space: impl Into<Space>, settings: HyperbandSettings) -> Result<Self, Error> {
        let cycle = Ladder::new(settings.budgets)?.cycle();
        Ok(Self::with_schedule(space.into(), Schedule::new(cycle, settings.brackets)))
    }

    /// Random configurations through the brackets of a schedule.
    pub(super) fn with_schedule(space: Space, schedule: Schedule) -> Self {
        Self { space, schedule, asked: 0 }
    }
}

impl Tuner for Hyperband {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        let slot = self.schedule.next_slot()?;
        let config = slot.promoted.clone().unwrap_or_else(|| self.space.draw(rng));
        let id = self.asked;
        self.asked += 1;
        self.schedule.fill(&slot, id, config.clone());
        Some(Suggestion { id, config, fidelity: Fidelity::Part { divisor: slot.rung.divisor } })
    }

    fn tell(&mut self, trial: Trial) {
        self.schedule.told(trial.suggestion.id, trial.value);
    }
}
