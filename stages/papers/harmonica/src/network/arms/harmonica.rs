//! Harmonica as a kind of stage.

use driver::Arm;
use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    harmonica::{self, HarmonicaSettings},
    multi_fidelity::successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings},
    tuner::{Error, Tuner},
};

use crate::network::stages::ask::Ask;

/// Harmonica.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Harmonica {
    /// Its settings.
    pub settings: HarmonicaSettings,
    /// Whether successive halving follows its stages; otherwise random search.
    pub base: Option<SuccessiveHalvingSettings>,
}

/// The stage that asks it. Named here, so that its code is part of the kind's.
pub type AskHarmonica = Ask<Harmonica>;

impl Arm for Harmonica {
    const KIND: &'static str = "harmonica/ask-harmonica";
    const MODULE: &'static str = module_path!();

    fn tuner(&self, space: Space) -> Result<Box<dyn Tuner>, Error> {
        let Some(base) = self.base else {
            return Ok(Box::new(harmonica::Harmonica::new(space, self.settings)?));
        };
        let base = Box::new(SuccessiveHalving::new(space.clone(), base)?);
        Ok(Box::new(harmonica::Harmonica::with_base(space, self.settings, base)?))
    }
}
