//! The tree-structured Parzen estimator on all of the data as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::tpe::{Tpe, TpeSettings},
    multi_fidelity::brackets::Budgets,
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// The tree-structured Parzen estimator on all of the data.
pub struct TpeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneTpe = TuneParts<TpeArm>;

impl Arm for TpeArm {
    const NAME: &'static str = "tpe";
    const KIND: &'static str = "compare/tune-parts-tpe";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, _: Budgets) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Tpe::new(space, TpeSettings::default())?))
    }
}
