//! Hyperband as a kind of stage.

use driver::Arm;
use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    multi_fidelity::hyperband::{self, HyperbandSettings},
    tuner::{Error, Tuner},
};

use crate::network::stages::ask::Ask;

/// Hyperband.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hyperband(pub HyperbandSettings);

/// The stage that asks it. Named here, so that its code is part of the kind's.
pub type AskHyperband = Ask<Hyperband>;

impl Arm for Hyperband {
    const KIND: &'static str = "harmonica/ask-hyperband";
    const MODULE: &'static str = module_path!();

    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(hyperband::Hyperband::new(space, self.0)?))
    }
}
