//! Differential evolution as a kind of stage.

use numerics::space::Space;
use tuners::{
    differential_evolution::{DifferentialEvolution, DifferentialEvolutionSettings},
    tuner::{Error, Tuner},
};

use crate::{arm::Arm, stages::tune::Tune};

/// Differential evolution.
pub struct DifferentialEvolutionArm;

/// The stage that runs it. Named here, so that its code is part of the kind's.
pub type TuneDifferentialEvolution = Tune<DifferentialEvolutionArm>;

impl Arm for DifferentialEvolutionArm {
    const NAME: &'static str = "differential-evolution";
    const KIND: &'static str = "compare/tune-differential-evolution";
    const MODULE: &'static str = module_path!();

    fn tuner(space: Space) -> Result<Box<dyn Tuner>, Error> {
        Ok(Box::new(DifferentialEvolution::new(space, DifferentialEvolutionSettings::default())?))
    }
}
