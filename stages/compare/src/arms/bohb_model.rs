//! The model of BOHB as a kind of stage: its densities, where every evaluation is a full one.

use numerics::space::Space;
use tuners::{
    multi_fidelity::{
        bohb::{Bohb, BohbSettings},
        brackets::{Arithmetic, Budgets, Sizes},
        hyperband::HyperbandSettings,
    },
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// BOHB without cheaper fidelities.
pub struct BohbModelArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneBohbModel = Tune<BohbModelArm>;

/// One budget, and as many brackets as it takes: each evaluates one configuration.
const FULL: HyperbandSettings = HyperbandSettings {
    budgets: Budgets {
        minimum: 1,
        maximum: 1,
        eta: 3,
        arithmetic: Arithmetic::Exact,
        sizes: Sizes::Code,
    },
    brackets: None,
};

impl Arm for BohbModelArm {
    const NAME: &'static str = "bohb-model";
    const KIND: &'static str = "compare/tune-bohb-model";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(Bohb::new(space, BohbSettings::on(FULL))?))
    }
}
