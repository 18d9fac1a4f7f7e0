//! SMOOTHIE as a kind of stage.

use numerics::space::Space;
use tuners::{
    smoothie::{Direction, Smoothie, SmoothieSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    protocol::Peers,
    stages::tune::Tune,
};

/// SMOOTHIE.
pub struct SmoothieArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSmoothie = Tune<SmoothieArm>;

impl Arm for SmoothieArm {
    const KIND: &'static str = "smoothie/tune-smoothie";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, spend: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        let settings = SmoothieSettings {
            probes: spend.probes as usize,
            full: spend.budget as usize,
            direction: Direction::Highest,
        };
        Ok(Some(Box::new(Smoothie::new(space, settings)?)))
    }
}
