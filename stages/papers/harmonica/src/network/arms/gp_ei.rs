//! A Gaussian process with expected improvement as a kind of stage.

use driver::Arm;
use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::{self, GpEiSettings},
    tuner::{Error, Tuner},
};

use crate::network::stages::ask::Ask;

/// A Gaussian process with expected improvement.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct GpEi(pub GpEiSettings);

/// The stage that asks it. Named here, so that its code is part of the kind's.
pub type AskGpEi = Ask<GpEi>;

impl Arm for GpEi {
    const KIND: &'static str = "harmonica/ask-gp-ei";
    const MODULE: &'static str = module_path!();

    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(gp_ei::GpEi::new(space, self.0)?))
    }
}
