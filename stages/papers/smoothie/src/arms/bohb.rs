//! BOHB as a kind of stage.

use numerics::space::Space;
use tuners::{
    multi_fidelity::bohb::{Bohb, BohbSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    fidelities::FULL,
    protocol::Peers,
    stages::tune::Tune,
};

/// BOHB.
pub struct BohbArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneBohb = Tune<BohbArm>;

impl Arm for BohbArm {
    const KIND: &'static str = "smoothie/tune-bohb";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, _: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        Ok(Some(Box::new(Bohb::new(space, BohbSettings::on(FULL))?)))
    }
}
