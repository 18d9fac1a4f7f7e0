//! Successive halving as a kind of stage.

use driver::Arm;
use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    multi_fidelity::successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
    tuner::{Error, Tuner},
};

use crate::network::stages::ask::Ask;

/// Successive halving.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Halving(pub SuccessiveHalvingSettings);

/// The stage that asks it. Named here, so that its code is part of the kind's.
pub type AskHalving = Ask<Halving>;

impl Arm for Halving {
    const KIND: &'static str = "harmonica/ask-halving";
    const MODULE: &'static str = module_path!();

    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(SuccessiveHalving::new(space, self.0)?))
    }
}
