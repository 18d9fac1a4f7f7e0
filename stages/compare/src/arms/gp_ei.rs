//! A Gaussian process with sampled hyper-parameters, after Spearmint, as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::gp_ei::{GpEi, GpEiSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// A Gaussian process with sampled hyper-parameters, after Spearmint.
pub struct GpEiArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneGpEi = Tune<GpEiArm>;

impl Arm for GpEiArm {
    const NAME: &'static str = "gp-ei";
    const KIND: &'static str = "compare/tune-gp-ei";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(GpEi::new(space, GpEiSettings::default())?))
    }
}
