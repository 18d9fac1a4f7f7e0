//! Tree-structured Parzen estimators by components \[Watanabe2023\]: the paper's stages and how the config expands
//! to them.
//!
//! ```text
//! data ─┬ ablation (components, shifted, widths) ─ importance ─┐
//!       └ arm ─ runs ─ ranks ──────────────────────────────────┼ calibration ─ claims
//! runtime ─────────────────────────────────────────────────────┘
//! ```

pub mod config;
pub mod expand;
pub mod function;
pub mod grid;
pub mod search;
pub mod stages;
pub mod study;
pub mod tables;
pub mod target;
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
pub struct Tpe;

impl Experiment for Tpe {
    fn id(&self) -> &'static str {
        "tpe"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::ablation::Ablation>(code)
        .add::<stages::arm::Arm>(code)
        .add::<stages::importance::Importances>(code)
        .add::<stages::ranks::Ranks>(code)
        .add::<stages::runtime::Runtime>(code)
        .add::<CalibrationStage<stages::claims::TpeCriteria>>(code)
        .add::<ClaimsStage<stages::claims::TpeCriteria>>(code);
}
