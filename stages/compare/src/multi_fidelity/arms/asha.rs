//! ASHA with one worker as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        asha::{Asha, AshaSettings},
        brackets::Budgets,
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// ASHA with one worker.
pub struct AshaArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneAsha = TuneParts<AshaArm>;

impl Arm for AshaArm {
    const NAME: &'static str = "asha";
    const KIND: &'static str = "compare/tune-parts-asha";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Asha::new(space, AshaSettings { budgets, early_stopping: 0 })?))
    }
}
