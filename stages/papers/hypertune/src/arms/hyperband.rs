//! Hyperband, with training rows as the resource, as a kind of stage.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::multi_fidelity::hyperband::{self, HyperbandSettings};

use crate::{
    arm::{Arm, Budget},
    method::Method,
    stages::rival::{Rival, rebuilt, tune},
    task::{Run, fail},
};

/// Hyperband, with training rows as the resource.
#[derive(Serialize, Deserialize)]
pub struct Hyperband(pub HyperbandSettings);

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type RivalHyperband = Rival<Hyperband>;

impl Arm for Hyperband {
    const METHOD: Method = Method::Hyperband;
    const KIND: &'static str = "hypertune/hyperband";
    const MODULE: &'static str = module_path!();

    fn search(&self, run: &mut Run<'_>, budget: Budget, rng: &mut ChaCha12Rng) -> Result<(), Stop> {
        let mut tuner = hyperband::Hyperband::new(run.space.clone(), self.0).map_err(fail)?;
        tune(run, &mut tuner, (budget.converged, budget.evaluations), rng)?;
        promoted(run)
    }
}

/// The best evaluation on the largest share.
fn promoted(run: &mut Run<'_>) -> Result<(), Stop> {
    let entries = &run.trials.entries;
    let Some(largest) = entries.iter().map(|e| e.divisor).min() else { return Ok(()) };
    let whole = entries.iter().enumerate().filter(|(_, e)| e.divisor == largest);
    let best = whole.min_by(|a, b| a.1.validation.total_cmp(&b.1.validation)).map(|(i, _)| i);
    let Some(best) = best else { return Ok(()) };
    if largest == 1 {
        run.trials.entries[best].chosen = true;
        Ok(())
    } else {
        let config = run.trials.entries[best].config.0.clone();
        rebuilt(run, Some(config))
    }
}
