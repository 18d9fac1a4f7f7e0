//! A tuner like HEBO as a kind of stage.

use numerics::space::Space;
use tuners::{
    bayesian::hebo_like::{HeboLike, HeboLikeSettings},
    tuner::{Error, Tuner},
};

use crate::{
    arm::{Arm, Spend},
    protocol::Peers,
    stages::tune::Tune,
};

/// A tuner like HEBO.
pub struct HeboLikeArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneHeboLike = Tune<HeboLikeArm>;

impl Arm for HeboLikeArm {
    const KIND: &'static str = "smoothie/tune-hebo-like";
    const MODULE: &'static str = module_path!();

    /// DIFFERS: the authors' HEBO fails in 11 of the 15 suggestions of a run, in the place of which Bayesmark draws at
    /// random. As published too no suggestion fails here, and there are as many as N1: it is a stronger rival than
    /// theirs, against SMOOTHIE in S5 as published.
    fn tuner(space: Space, _: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        Ok(Some(Box::new(HeboLike::new(space, HeboLikeSettings::default())?)))
    }
}
