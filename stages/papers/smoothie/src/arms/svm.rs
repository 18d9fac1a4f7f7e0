//! The baseline without tuning as a kind of stage.

use numerics::space::Space;
use tuners::tuner::{Error, Tuner};

use crate::{
    arm::{Arm, Spend},
    protocol::Peers,
    stages::tune::Tune,
};

/// The baseline without tuning.
pub struct SvmArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneSvm = Tune<SvmArm>;

impl Arm for SvmArm {
    const KIND: &'static str = "smoothie/tune-svm";
    const MODULE: &'static str = module_path!();

    fn tuner(_: Space, _: Spend, _: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        Ok(None)
    }
}
