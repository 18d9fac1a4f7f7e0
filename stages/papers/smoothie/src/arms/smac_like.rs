//! The tuner that the authors' code calls BOHB, a tuner like SMAC, as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::smac_like::{SmacLike, SmacLikeSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    protocol::Peers,
    stages::tune::Tune,
};

/// The tuner that the authors' code calls BOHB: a tuner like SMAC.
pub struct SmacLikeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSmacLike = Tune<SmacLikeArm>;

impl Arm for SmacLikeArm {
    const KIND: &'static str = "smoothie/tune-smac-like";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space, _: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        Ok(Some(Box::new(SmacLike::new(space, SmacLikeSettings::default())?)))
    }
}
