//! `PriorBand` without a belief as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        brackets::Budgets,
        hyperband::HyperbandSettings,
        prior_band::{PriorBand, PriorBandSettings},
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// `PriorBand` without a belief.
pub struct PriorBandArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TunePriorBand = TuneParts<PriorBandArm>;

impl Arm for PriorBandArm {
    const NAME: &'static str = "prior-band";
    const KIND: &'static str = "compare/tune-parts-prior-band";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        let hyperband = HyperbandSettings { budgets, brackets: None };
        Ok(Box::new(PriorBand::new(space, PriorBandSettings::on(hyperband))?))
    }
}
