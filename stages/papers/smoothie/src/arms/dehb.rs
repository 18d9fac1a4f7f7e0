//! DEHB as a kind of stage.

use numerics::space::Space;
use tuners::{
    evolution::Evolution,
    multi_fidelity::dehb::{Dehb, DehbSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    fidelities::{FULL, ONE},
    protocol::Peers,
    stages::tune::Tune,
};

/// DEHB.
pub struct DehbArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneDehb = Tune<DehbArm>;

impl Arm for DehbArm {
    const KIND: &'static str = "smoothie/tune-dehb";
    const MODULE: &'static str = module_path!();

    /// DIFFERS: on Bayesmark the authors' DEHB is asked 15 times per run and never told a loss, since its adapter fails
    /// at each. As published too it is told all of them here, for as many trainings as N1: it is a stronger rival than
    /// theirs, against SMOOTHIE in S5 as published.
    fn tuner(space: Space, _: Spend, peers: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        let hyperband = if peers == Peers::Code { ONE } else { FULL };
        let settings = DehbSettings { hyperband, evolution: Evolution::default() };
        Ok(Some(Box::new(Dehb::new(space, settings)?)))
    }
}
