//! Hyperband \[Li2018\]: successive halving started from every budget in turn.

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
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///         hyperband::{Hyperband, HyperbandSettings},
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
    /// let settings = HyperbandSettings { budgets, brackets: Some(3) };
    /// let mut tuner = Hyperband::new(Bounds::cube(2, 1.0)?, settings)?;
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
    pub fn new(space: impl Into<Space>, settings: HyperbandSettings) -> Result<Self, Error> {
        let cycle = Ladder::new(settings.budgets)?.cycle();
        Ok(Self::with_schedule(space.into(), Schedule::new(cycle, settings.brackets)))
    }

    /// Sends random configurations through the brackets of a schedule.
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
