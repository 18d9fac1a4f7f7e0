//! Hyperband as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        brackets::Budgets,
        hyperband::{Hyperband, HyperbandSettings},
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// Hyperband.
pub struct HyperbandArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneHyperband = TuneParts<HyperbandArm>;

impl Arm for HyperbandArm {
    const NAME: &'static str = "hyperband";
    const KIND: &'static str = "compare/tune-parts-hyperband";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Hyperband::new(space, HyperbandSettings { budgets, brackets: None })?))
    }
}
