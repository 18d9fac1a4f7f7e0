//! Successive halving of random configurations \[Jamieson2016\].

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

/// Successive halving: all configurations start on the smallest budget, and the best 1/η are promoted to the
/// next.
#[derive(Debug, Clone)]
pub struct SuccessiveHalving(Hyperband);

impl SuccessiveHalving {
    /// A tuner on a space.
    ///
    /// ```
    /// use numerics::space::Bounds;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     minimise::minimise,
    ///     multi_fidelity::{
    ///         brackets::{Arithmetic, Budgets, Sizes},
    ///         successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
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
    /// let settings = SuccessiveHalvingSettings { budgets, configurations: 9, brackets: Some(1) };
    /// let mut tuner = SuccessiveHalving::new(Bounds::cube(2, 1.0)?, settings)?;
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
