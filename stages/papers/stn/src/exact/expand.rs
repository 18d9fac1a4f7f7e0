//! From the config to the stages that check the theory.

use kit::claims::criteria::Source;
use pipeline::{error::Result, graph::Builder, seed::Seed};

use super::{
    config::Exact,
    stages::{gated::GatedStage, neighbourhood::NeighbourhoodStage, quadratic::QuadraticStage},
};

/// Adds the stages.
///
/// # Errors
/// When a name comes twice.
pub fn expand(values: &Exact, root: u64, builder: &mut Builder) -> Result<()> {
    let seed = |label: &str| Seed::new(root, &format!("stn/{label}"), 0);
    let stage = GatedStage { values: values.gated.clone() };
    builder.add("stn/exact/gated", &stage)?.seed(seed("gated"));
    let stage = QuadraticStage { values: values.quadratic.clone() };
    builder.add("stn/exact/quadratic", &stage)?.seed(seed("quadratic"));
    let stage = NeighbourhoodStage { values: values.neighbourhood.clone() };
    builder.add("stn/exact/neighbourhood", &stage)?.seed(seed("neighbourhood"));
    Ok(())
}

/// What the verdicts rest on.
#[must_use]
pub fn sources() -> Vec<Source> {
    ["gated", "quadratic"]
        .map(|what| Source::named(what, format!("stn/exact/{what}"), "main"))
        .into()
}

/// The claims whose evidence has another size than the paper's.
#[must_use]
pub fn scaled_down(values: &Exact, paper: &Exact) -> Vec<&'static str> {
    let parts = [("N1", values.gated == paper.gated), ("N2", values.quadratic == paper.quadratic)];
    parts.into_iter().filter(|(_, same)| !same).map(|(id, _)| id).collect()
}
