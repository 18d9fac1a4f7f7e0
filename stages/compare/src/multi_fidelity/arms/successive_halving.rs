//! Successive halving, again and again as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        brackets::Budgets,
        successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// Successive halving, again and again.
pub struct SuccessiveHalvingArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSuccessiveHalving = TuneParts<SuccessiveHalvingArm>;

impl Arm for SuccessiveHalvingArm {
    const NAME: &'static str = "successive-halving";
    const KIND: &'static str = "compare/tune-parts-successive-halving";
    const MODULE: &'static str = module_path!();

    /// As many configurations on the smallest part as leave one for all of the data.
    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        let configurations = (budgets.maximum / budgets.minimum) as usize;
        let settings = SuccessiveHalvingSettings { budgets, configurations, brackets: None };
        Ok(Box::new(SuccessiveHalving::new(space, settings)?))
    }
}
