//! A tuner like SMAC as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::smac_like::{SmacLike, SmacLikeSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// A tuner like SMAC.
pub struct SmacLikeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSmacLike = Tune<SmacLikeArm>;

impl Arm for SmacLikeArm {
    const NAME: &'static str = "smac-like";
    const KIND: &'static str = "compare/tune-smac-like";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(SmacLike::new(space, SmacLikeSettings::default())?))
    }
}
