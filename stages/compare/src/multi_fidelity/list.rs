//! The tuners that can be compared on parts of the data, by name. A new one is a file in `arms/` and a line here.

use numerics::space::Space;
use pipeline::{
    code::Table,
    error,
    graph::{Builder, Draft},
    registry::Kinds,
};
use tuners::{
    multi_fidelity::brackets::Budgets,
    tuner::{Error, Tuner},
};

use super::{
    arm::Arm,
    arms::{
        asha::AshaArm, bohb::BohbArm, dehb::DehbArm, hyperband::HyperbandArm,
        prior_band::PriorBandArm, random::RandomArm, successive_halving::SuccessiveHalvingArm,
        tpe::TpeArm,
    },
    tune::{Runs, TuneParts},
};

/// A tuner that can be compared.
#[derive(Clone, Copy)]
pub struct Listed {
    /// Its name in configs and tables.
    pub name: &'static str,
    /// Makes it.
    pub tuner: fn(Space, Budgets) -> Result<Box<dyn Tuner>, Error>,
    /// Registers its kind of stage.
    pub register: fn(&mut Kinds, Table),
    /// Adds the stage of this name that runs it.
    pub add: for<'a, 'k> fn(&'a mut Builder<'k>, String, Runs) -> error::Result<&'a mut Draft>,
}

/// All of them.
pub const TUNERS: [Listed; 8] = [
    listed::<RandomArm>(),
    listed::<TpeArm>(),
    listed::<SuccessiveHalvingArm>(),
    listed::<HyperbandArm>(),
    listed::<AshaArm>(),
    listed::<BohbArm>(),
    listed::<DehbArm>(),
    listed::<PriorBandArm>(),
];

/// An external optimiser that asks for parts of the data.
#[derive(Clone, Copy)]
pub struct Package {
    /// Its name in configs and tables.
    pub name: &'static str,
    /// The ready adapter that runs it.
    pub adapter: &'static str,
    /// The tuner of ours that it is compared with.
    pub ours: &'static str,
}

/// All of them.
pub const PACKAGES: [Package; 2] = [
    Package { name: "dehb-dehb", adapter: "dehb-de", ours: "dehb" },
    Package { name: "hpbandster-bohb", adapter: "hpbandster-bohb", ours: "bohb" },
];

/// The external optimiser of this name.
#[must_use]
pub fn package(name: &str) -> Option<Package> {
    PACKAGES.into_iter().find(|package| package.name == name)
}

/// The tuner of this name.
#[must_use]
pub fn find(name: &str) -> Option<Listed> {
    TUNERS.into_iter().find(|listed| listed.name == name)
}

const fn listed<A: Arm>() -> Listed {
    Listed { name: A::NAME, tuner: A::tuner, register: register::<A>, add: add::<A> }
}

fn register<A: Arm>(kinds: &mut Kinds, code: Table) {
    kinds.add::<TuneParts<A>>(code);
}

fn add<'a, A: Arm>(
    builder: &'a mut Builder<'_>,
    name: String,
    runs: Runs,
) -> error::Result<&'a mut Draft> {
    builder.add(name, &TuneParts::<A>::new(runs))
}
