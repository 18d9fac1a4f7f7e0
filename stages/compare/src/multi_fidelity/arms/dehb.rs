//! DEHB as a kind of stage.

use numerics::space::Space;
use tuners::{
    evolution::Evolution,
    multi_fidelity::{
        brackets::{Budgets, Sizes},
        dehb::{Dehb, DehbSettings},
        hyperband::HyperbandSettings,
    },
    tuner::{Error, Tuner},
};

use crate::multi_fidelity::{arm::Arm, tune::TuneParts};

/// DEHB.
pub struct DehbArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneDehb = TuneParts<DehbArm>;

impl Arm for DehbArm {
    const NAME: &'static str = "dehb";
    const KIND: &'static str = "compare/tune-parts-dehb";
    const MODULE: &'static str = module_path!();

    /// Brackets are of the size that its authors' code gives them.
    fn tuner(space: Space, budgets: Budgets) -> Result<Box<dyn Tuner>, Error> {
        let budgets = Budgets { sizes: Sizes::Code, ..budgets };
        let hyperband = HyperbandSettings { budgets, brackets: None };
        let settings = DehbSettings { hyperband, evolution: Evolution::default() };
        Ok(Box::new(Dehb::new(space, settings)?))
    }
}
