//! A Gaussian process with expected improvement as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::smbo::{Smbo, SmboSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// A Gaussian process with expected improvement.
pub struct SmboArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSmbo = Tune<SmboArm>;

impl Arm for SmboArm {
    const NAME: &'static str = "smbo";
    const KIND: &'static str = "compare/tune-smbo";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Smbo::new(space, SmboSettings::default())?))
    }
}
