//! A tuner like HEBO as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::hebo_like::{HeboLike, HeboLikeSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// A tuner like HEBO.
pub struct HeboLikeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneHeboLike = Tune<HeboLikeArm>;

impl Arm for HeboLikeArm {
    const NAME: &'static str = "hebo-like";
    const KIND: &'static str = "compare/tune-hebo-like";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(HeboLike::new(space, HeboLikeSettings::default())?))
    }
}
