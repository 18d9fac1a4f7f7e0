//! Self-tuning networks, "Self-Tuning Networks: Bilevel Optimization of Hyperparameters using Structured
//! Best-Response Functions" \[MacKay2019\]: its stages, and the expansion of the config to them.
//!
//! ```text
//! gated, quadratic, neighbourhood (exact checks of the theory) ─┬─ claims
//! tuned, searched (images) ─ race, sensitivity ─────────────────┤
//! train (texts) ─ collect, race ───────────────────────────────┘
//! ```

pub mod config;
pub mod exact;
pub mod expand;
pub mod finished;
pub mod images;
pub mod population;
pub mod stages;
pub mod tables;
pub mod text;
pub mod trace;
pub mod verdicts;
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
pub struct Stn;

impl Experiment for Stn {
    fn id(&self) -> &'static str {
        "stn"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    exact::kinds(kinds, code);
    images::kinds(kinds, code);
    text::kinds(kinds, code);
    kinds
        .add::<CalibrationStage<stages::claims::StnCriteria>>(code)
        .add::<ClaimsStage<stages::claims::StnCriteria>>(code);
}
