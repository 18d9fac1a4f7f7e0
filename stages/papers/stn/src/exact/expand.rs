//! Expands the config to the stages that check the theory.

use kit::{claims::wiring::Source, wire::Wire};
use pipeline::{error::Result, graph::Builder, seed::Seed};

use super::{
    config::Exact,
    stages::{gated::GatedStage, neighbourhood::NeighbourhoodStage, quadratic::QuadraticStage},
};
use crate::verdicts::evidence::{GATED, QUADRATIC};

/// Adds the stages; returns the tables that the verdicts rest on.
///
/// # Errors
/// If a name occurs twice.
pub fn expand(values: &Exact, root: u64, builder: &mut Builder) -> Result<[Source; 2]> {
    let seed = |label: &str| Seed::new(root, &format!("stn/{label}"), 0);
    let stage = GatedStage { values: values.gated.clone() };
    let gated = builder.add("stn/exact/gated", &stage)?.seed(seed("gated"));
    let gated = Source::new(&GATED, &gated.gives(&GatedStage::MAIN));
    let stage = QuadraticStage { values: values.quadratic.clone() };
    let quadratic = builder.add("stn/exact/quadratic", &stage)?.seed(seed("quadratic"));
    let quadratic = Source::new(&QUADRATIC, &quadratic.gives(&QuadraticStage::MAIN));
    let stage = NeighbourhoodStage { values: values.neighbourhood.clone() };
    builder.add("stn/exact/neighbourhood", &stage)?.seed(seed("neighbourhood"));
    Ok([gated, quadratic])
}

/// The claims whose evidence differs in size from the paper's.
#[must_use]
pub fn scaled_down(values: &Exact, paper: &Exact) -> Vec<&'static str> {
    let parts = [("N1", values.gated == paper.gated), ("N2", values.quadratic == paper.quadratic)];
    parts.into_iter().filter(|(_, same)| !same).map(|(id, _)| id).collect()
}
