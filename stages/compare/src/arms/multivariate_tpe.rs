//! Tree-structured Parzen estimators of all parameters jointly as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::multivariate_tpe::{MultivariateTpe, MultivariateTpeSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// Tree-structured Parzen estimators of all parameters jointly.
pub struct MultivariateTpeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneMultivariateTpe = Tune<MultivariateTpeArm>;

impl Arm for MultivariateTpeArm {
    const NAME: &'static str = "multivariate-tpe";
    const KIND: &'static str = "compare/tune-multivariate-tpe";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(MultivariateTpe::new(space, MultivariateTpeSettings::default())?))
    }
}
