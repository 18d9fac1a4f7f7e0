//! Sobol search as a kind of stage.

use numerics::space::Space;
use tuners::{
    sobol::Sobol,
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// Sobol search.
pub struct SobolArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSobol = Tune<SobolArm>;

impl Arm for SobolArm {
    const NAME: &'static str = "sobol";
    const KIND: &'static str = "compare/tune-sobol";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Sobol::new(space)))
    }
}
