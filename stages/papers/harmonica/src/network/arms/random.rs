//! Random search as a kind of stage.

use driver::Arm;
use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    random,
    tuner::{Error, Tuner},
};

use crate::network::stages::ask::Ask;

/// Random search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Random {}

/// The stage that asks it. Named here, so that its code is part of the kind's.
pub type AskRandom = Ask<Random>;

impl Arm for Random {
    const KIND: &'static str = "harmonica/ask-random";
    const MODULE: &'static str = module_path!();

    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(random::Random::new(space)))
    }
}
