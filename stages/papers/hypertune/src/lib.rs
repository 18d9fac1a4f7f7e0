//! HyperTune, "Fast hyperparameter tuning using Bayesian optimization with directional derivatives"
//! \[Joy2019\]: its stages and how the config expands to them. No public code exists.
//!
//! ```text
//! data ─ split ─┬─ subset-* ─ hypertune ─┬─ ei, fabolas, hyperband ─┬─ runs ─┬─ standings
//!               │                        └──────────────────────────┘        └─ convergence ─┬─ claims
//!               └─ complexity ────────────────────────────────────────────────────────────────┘
//! ```

pub mod config;
pub mod dataset;
pub mod evaluation;
pub mod evaluator;
pub mod expand;
pub mod learn;
pub mod network;
pub mod runs;
pub mod stages;
pub mod tables;
pub mod task;
pub mod trials;
pub mod verdicts;
pub(crate) mod wiring;
pub mod work;

use kit::claims::criteria::{CalibrationStage, ClaimsStage};
use pipeline::{
    code::Table,
    config::Config,
    error::Result,
    graph::Builder,
    registry::{Experiment, Kinds},
};

/// The experiment.
pub struct HyperTune;

impl Experiment for HyperTune {
    fn id(&self) -> &'static str {
        "hypertune"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::absent::Absent>(code)
        .add::<stages::split::Split>(code)
        .add::<stages::subset::Subset>(code)
        .add::<stages::whole::Whole>(code)
        .add::<stages::rival::Rival>(code)
        .add::<stages::complexity::Complexity>(code)
        .add::<stages::standings::Standings>(code)
        .add::<stages::convergence::Convergence>(code)
        .add::<CalibrationStage<stages::claims::HyperTuneCriteria>>(code)
        .add::<ClaimsStage<stages::claims::HyperTuneCriteria>>(code);
}
