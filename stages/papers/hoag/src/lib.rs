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

use kit::{
    claims::{Claim, wiring::Source},
    paper::Paper,
};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds};

use self::{config::HoagConfig, stages::claims::HoagCriteria};

/// The paper.
pub struct Hoag;

impl Paper for Hoag {
    const ID: &'static str = "hoag";
    type Values = HoagConfig;
    type Criteria = HoagCriteria;

    fn stages(kinds: &mut Kinds, code: Table) {
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
            .add::<stages::curves::Curves>(code);
    }

    fn add(values: &HoagConfig, builder: &mut Builder) -> Result<Vec<Source>> {
        expand::add(values, builder)
    }

    /// Under another root seed: only the rules that count, and the problems of its claims.
    fn part(values: &HoagConfig) -> HoagConfig {
        let mut part = values.clone();
        part.variants.clear();
        part.problems.retain(|_, problem| verdicts::concern(&values.again.claims, problem.model));
        part
    }

    fn criteria(values: &HoagConfig, paper: &HoagConfig, _: &mut [Claim]) -> HoagCriteria {
        expand::criteria(values, paper)
    }
}
