//! Random search as a kind of stage.

use numerics::space::Space;
use tuners::{
    random::Random,
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// Random search.
pub struct RandomArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneRandom = Tune<RandomArm>;

impl Arm for RandomArm {
    const NAME: &'static str = "random";
    const KIND: &'static str = "compare/tune-random";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Random::new(space)))
    }
}
