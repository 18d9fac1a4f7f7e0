//! Harmonica, "Hyperparameter Optimization: A Spectral Approach" \[Hazan2018\]: its stages, and the expansion
//! of the config to them.
//!
//! ```text
//! recovery, noise, times, dummies, stability, contest (synthetic functions) ─ claims
//! ```

pub mod config;
pub mod expand;
pub mod network;
pub mod stages;
pub mod synthetic;
pub mod tables;
pub mod verdicts;
pub mod work;

use kit::{
    claims::{Claim, wiring::Source},
    paper::Paper,
};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds};

use self::{config::HarmonicaConfig, stages::claims::HarmonicaCriteria};

/// The paper.
pub struct Harmonica;

impl Paper for Harmonica {
    const ID: &'static str = "harmonica";
    type Values = HarmonicaConfig;
    type Criteria = HarmonicaCriteria;

    fn stages(kinds: &mut Kinds, code: Table) {
        network::kinds(kinds, code);
        synthetic::kinds(kinds, code);
    }

    fn add(values: &HarmonicaConfig, builder: &mut Builder) -> Result<Vec<Source>> {
        expand::add(values, builder)
    }

    fn criteria(
        values: &HarmonicaConfig,
        paper: &HarmonicaConfig,
        _: &mut [Claim],
    ) -> HarmonicaCriteria {
        expand::criteria(values, paper)
    }
}
