//! GP-EI on the whole training part as a kind of stage.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::bayesian::directed::{Directed, DirectedSettings};

use crate::{
    arm::{Arm, Budget},
    method::Method,
    stages::rival::{Rival, tune},
    task::{Run, fail},
    trials::Trials,
};

/// GP-EI on the whole training part.
#[derive(Serialize, Deserialize)]
pub struct Ei(pub DirectedSettings);

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type RivalEi = Rival<Ei>;

impl Arm for Ei {
    const METHOD: Method = Method::Ei;
    const KIND: &'static str = "hypertune/ei";
    const MODULE: &'static str = module_path!();

    fn search(&self, run: &mut Run<'_>, budget: Budget, rng: &mut ChaCha12Rng) -> Result<(), Stop> {
        let mut tuner = Directed::new(run.space.clone(), self.0).map_err(fail)?;
        tune(run, &mut tuner, (budget.all, budget.evaluations), rng)?;
        within(&mut run.trials, budget.converged);
        Ok(())
    }
}

/// The best evaluation within `work`, or the first if that took longer.
fn within(trials: &mut Trials, work: f64) {
    let inside = trials.entries.iter().take_while(|e| e.work <= work).count().max(1);
    let lowest = trials.entries[..inside.min(trials.entries.len())]
        .iter()
        .map(|e| e.validation)
        .fold(f64::INFINITY, f64::min);
    if let Some(best) = trials.entries.iter_mut().find(|e| e.validation == lowest) {
        best.chosen = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trials::Entry;

    #[test]
    fn what_comes_after_the_budget_is_not_reported() {
        let entry = |work, validation| Entry { validation, work, ..Entry::default() };
        let entries = vec![entry(1.0, 0.4), entry(2.0, 0.3), entry(3.0, 0.3), entry(4.0, 0.1)];
        let chosen = |work| {
            let mut trials = Trials { entries: entries.clone(), ..Trials::default() };
            within(&mut trials, work);
            trials.entries.iter().position(|e| e.chosen)
        };
        assert_eq!([0.5, 1.5, 3.0, 9.0].map(chosen), [Some(0), Some(0), Some(1), Some(3)]);
    }
}
