//! CMA-ES as a kind of stage.

use numerics::space::Space;
use tuners::{
    cma_es::{CmaEs, CmaEsSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// CMA-ES.
pub struct CmaEsArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneCmaEs = Tune<CmaEsArm>;

impl Arm for CmaEsArm {
    const NAME: &'static str = "cma-es";
    const KIND: &'static str = "compare/tune-cma-es";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(CmaEs::new(space, CmaEsSettings::default())?))
    }
}
