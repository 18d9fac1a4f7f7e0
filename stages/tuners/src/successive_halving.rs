//! Successive halving of random configurations \[Jamieson2016\]. Knows no model.

use numerics::space::Space;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    brackets::{Budgets, Ladder},
    hyperband::Hyperband,
    schedule::Schedule,
};
use crate::tuner::{Error, Suggestion, Trial, Tuner};

/// Settings of successive halving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuccessiveHalvingSettings {
    /// The budgets.
    pub budgets: Budgets,
    /// Configurations on the smallest budget.
    pub configurations: usize,
    /// How often all is done; `None` for no end.
    pub brackets: Option<u64>,
}

/// Successive halving: all start on the smallest budget, the best 1/η go on to the next.
#[derive(Debug, Clone)]
pub struct SuccessiveHalving(Hyperband);

impl SuccessiveHalving {
    /// A tuner on a space.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(
        space: impl Into<Space>,
        settings: SuccessiveHalvingSettings,
    ) -> Result<Self, Error> {
        if settings.configurations == 0 {
            return Err(Error::Setting {
                key: "configurations",
                value: "0".to_owned(),
                expected: "at least 1",
            });
        }
        let bracket = Ladder::new(settings.budgets)?.starting_with(settings.configurations);
        let schedule = Schedule::new(vec![bracket], settings.brackets);
        Ok(Self(Hyperband::with_schedule(space.into(), schedule)))
    }
}

impl Tuner for SuccessiveHalving {
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion> {
        self.0.ask(rng)
    }

    fn tell(&mut self, trial: Trial) {
        self.0.tell(trial);
    }
}
