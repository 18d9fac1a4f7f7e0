//! HOAG, "Hyperparameter optimization with approximate gradient" \[Pedregosa2016\]: its stages and
//! how the config expands to them.
//!
//! ```text
//! data ─ split ─┬─ hoag-*, iterdiff, grid, random, smbo ─┬─ exact ─ curves ─┐
//!               ├─ long runs ─ stationarity ─────────────┼──────────────────┤
//!               ├─ gradient-error ───────────────────────┼──────────────────┼─ figures ─ calibration ─ claims
//!               └─ landscape ────────────────────────────┴──────────────────┘
//! ```

pub mod config;
pub mod expand;
pub mod problem;
pub mod rounding;
pub mod stages;
pub mod tables;
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
pub struct Hoag;

impl Experiment for Hoag {
    fn id(&self) -> &'static str {
        "hoag"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::split::Split>(code)
        .add::<stages::hoag_run::HoagRun>(code)
        .add::<stages::iterdiff_run::IterdiffRun>(code)
        .add::<stages::grid_run::GridRun>(code)
        .add::<stages::random_run::RandomRun>(code)
        .add::<stages::smbo_run::SmboRun>(code)
        .add::<stages::exact::Exact>(code)
        .add::<stages::stationarity::Stationarity>(code)
        .add::<stages::gradient_error::GradientError>(code)
        .add::<stages::landscape::Landscape>(code)
        .add::<stages::curves::Curves>(code)
        .add::<CalibrationStage<stages::claims::HoagCriteria>>(code)
        .add::<ClaimsStage<stages::claims::HoagCriteria>>(code);
}
