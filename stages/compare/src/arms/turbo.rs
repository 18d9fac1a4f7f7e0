//! `TuRBO` as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::turbo::{Turbo, TurboSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// `TuRBO`.
pub struct TurboArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneTurbo = Tune<TurboArm>;

impl Arm for TurboArm {
    const NAME: &'static str = "turbo";
    const KIND: &'static str = "compare/tune-turbo";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Turbo::new(space, TurboSettings::default())?))
    }
}
