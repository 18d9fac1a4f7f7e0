//! Random search on all of the data as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::brackets::Budgets,
    random::Random,
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// Random search on all of the data.
pub struct RandomArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneRandom = TuneParts<RandomArm>;

impl Arm for RandomArm {
    const NAME: &'static str = "random";
    const KIND: &'static str = "compare/tune-parts-random";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, _: Budgets) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Random::new(space)))
    }
}
