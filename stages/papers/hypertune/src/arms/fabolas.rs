//! Fabolas as a kind of stage.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::bayesian::fabolas::{self, FabolasSettings};

use crate::{
    arm::{Arm, Budget},
    method::Method,
    stages::rival::{Rival, rebuilt, tune},
    task::{Run, fail},
};

/// Fabolas.
#[derive(Serialize, Deserialize)]
pub struct Fabolas(pub FabolasSettings);

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type RivalFabolas = Rival<Fabolas>;

impl Arm for Fabolas {
    const METHOD: Method = Method::Fabolas;
    const KIND: &'static str = "hypertune/fabolas";
    const MODULE: &'static str = module_path!();

    fn search(&self, run: &mut Run<'_>, budget: Budget, rng: &mut ChaCha12Rng) -> Result<(), Stop> {
        let mut tuner = fabolas::Fabolas::new(run.space.clone(), self.0).map_err(fail)?;
        tune(run, &mut tuner, (budget.converged, budget.evaluations), rng)?;
        let recommended = run.tuning(|| tuner.recommend(rng));
        rebuilt(run, recommended)
    }
}
