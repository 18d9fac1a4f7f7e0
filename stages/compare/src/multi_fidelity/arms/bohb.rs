//! BOHB as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        bohb::{Bohb, BohbSettings},
        brackets::{Budgets, Sizes},
        hyperband::HyperbandSettings,
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// BOHB.
pub struct BohbArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneBohb = TuneParts<BohbArm>;

impl Arm for BohbArm {
    const NAME: &'static str = "bohb";
    const KIND: &'static str = "compare/tune-parts-bohb";
    const MODULE: &'static str = module_path!();

    /// Brackets are of the size that its authors' code gives them.
    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        let budgets = Budgets { sizes: Sizes::Code, ..budgets };
        let hyperband = HyperbandSettings { budgets, brackets: None };
        Ok(Box::new(Bohb::new(space, BohbSettings::on(hyperband))?))
    }
}
