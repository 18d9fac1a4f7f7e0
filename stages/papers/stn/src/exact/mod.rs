//! Checks the theorems of the paper (section 3) in double precision, and computes the neighbourhoods of
//! figure 2.

pub mod config;
pub mod expand;
pub mod stages;

use pipeline::{code::Table, registry::Kinds};

/// Registers the stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::gated::GatedStage>(code)
        .add::<stages::neighbourhood::NeighbourhoodStage>(code)
        .add::<stages::quadratic::QuadraticStage>(code);
}
