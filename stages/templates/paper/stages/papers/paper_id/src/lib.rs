//! TITLE \[Author2026\]: its stages and how the config expands to them.
//!
//! ```text
//! search ─ searches ─ calibration ─ claims
//! ```

pub mod config;
pub mod expand;
pub mod objective;
pub mod stages;
pub mod tried;
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
pub struct PaperId;

impl Experiment for PaperId {
    fn id(&self) -> &'static str {
        "paper_id"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::search::Search>(code)
        .add::<CalibrationStage<stages::claims::PaperIdCriteria>>(code)
        .add::<ClaimsStage<stages::claims::PaperIdCriteria>>(code);
}
