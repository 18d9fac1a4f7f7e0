//! GHOST as a kind of stage.

use numerics::space::Space;
use tuners::{
    dodge::{Dodge, DodgeSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    protocol::Peers,
    stages::tune::Tune,
};

/// GHOST.
pub struct GhostArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneGhost = Tune<GhostArm>;

impl Arm for GhostArm {
    const KIND: &'static str = "smoothie/tune-ghost";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, _: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        Ok(Some(Box::new(Dodge::new(space, DodgeSettings::default())?)))
    }
}
