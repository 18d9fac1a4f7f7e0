//! Experiments on synthetic functions of binary variables (section 5.4), and the other claims as far as
//! synthetic functions can test them.

pub mod config;
pub mod expand;
pub mod function;
pub mod run;
pub mod stages;

use pipeline::{code::Table, registry::Kinds};

/// Registers the stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::contest::ContestStage>(code)
        .add::<stages::dummies::DummiesStage>(code)
        .add::<stages::noise::NoiseStage>(code)
        .add::<stages::recovery::RecoveryStage>(code)
        .add::<stages::stability::StabilityStage>(code)
        .add::<stages::times::TimesStage>(code);
}
