//! Tree-structured Parzen estimators, one parameter at a time, as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::tpe::{Tpe, TpeSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// Tree-structured Parzen estimators, one parameter at a time.
pub struct TpeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneTpe = Tune<TpeArm>;

impl Arm for TpeArm {
    const NAME: &'static str = "tpe";
    const KIND: &'static str = "compare/tune-tpe";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Tpe::new(space, TpeSettings::default())?))
    }
}
