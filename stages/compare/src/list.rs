//! The tuners that can be compared, by name. A new one is a file in `arms/` and a line here.

use pipeline::{
    code::Table,
    error::Result,
    graph::{Builder, Draft},
    registry::Kinds,
};

use crate::{
    arm::Arm,
    arms::{
        bohb_model::BohbModelArm, cma_es::CmaEsArm,
        differential_evolution::DifferentialEvolutionArm, gp_ei::GpEiArm, hebo_like::HeboLikeArm,
        multivariate_tpe::MultivariateTpeArm, random::RandomArm, smac_like::SmacLikeArm,
        smbo::SmboArm, sobol::SobolArm, tpe::TpeArm, turbo::TurboArm,
    },
    stages::tune::{Cell, Tune},
};

/// A tuner that can be compared.
#[derive(Clone, Copy)]
pub struct Listed {
    /// Its name in configs and tables.
    pub name: &'static str,
    /// Registers its kind of stage.
    pub register: fn(&mut Kinds, Table),
    /// Adds the stage of this name that runs it.
    pub add: for<'a, 'k> fn(&'a mut Builder<'k>, String, Cell) -> Result<&'a mut Draft>,
}

/// All of them.
pub const TUNERS: [Listed; 12] = [
    listed::<RandomArm>(),
    listed::<SobolArm>(),
    listed::<DifferentialEvolutionArm>(),
    listed::<CmaEsArm>(),
    listed::<BohbModelArm>(),
    listed::<TpeArm>(),
    listed::<MultivariateTpeArm>(),
    listed::<SmacLikeArm>(),
    listed::<SmboArm>(),
    listed::<GpEiArm>(),
    listed::<TurboArm>(),
    listed::<HeboLikeArm>(),
];

/// The tuner of this name.
#[must_use]
pub fn find(name: &str) -> Option<Listed> {
    TUNERS.into_iter().find(|listed| listed.name == name)
}

const fn listed<A: Arm>() -> Listed {
    Listed { name: A::NAME, register: register::<A>, add: add::<A> }
}

fn register<A: Arm>(kinds: &mut Kinds, code: Table) {
    kinds.add::<Tune<A>>(code);
}

fn add<'a, A: Arm>(
    builder: &'a mut Builder<'_>,
    name: String,
    cell: Cell,
) -> Result<&'a mut Draft> {
    builder.add(name, &Tune::<A>::new(cell))
}
