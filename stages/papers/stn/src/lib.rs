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

use kit::{
    claims::{Claim, wiring::Source},
    paper::Paper,
};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds};

use self::{config::StnConfig, stages::claims::StnCriteria};

/// The paper.
pub struct Stn;

impl Paper for Stn {
    const ID: &'static str = "stn";
    type Values = StnConfig;
    type Criteria = StnCriteria;

    fn stages(kinds: &mut Kinds, code: Table) {
        exact::kinds(kinds, code);
        images::kinds(kinds, code);
        text::kinds(kinds, code);
    }

    fn add(values: &StnConfig, builder: &mut Builder) -> Result<Vec<Source>> {
        expand::add(values, builder)
    }

    fn criteria(values: &StnConfig, paper: &StnConfig, _: &mut [Claim]) -> StnCriteria {
        expand::criteria(values, paper)
    }
}
