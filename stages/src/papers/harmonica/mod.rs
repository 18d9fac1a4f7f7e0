//! Harmonica, "Hyperparameter Optimization: A Spectral Approach" \[Hazan2018\]: its stages and how
//! the config expands to them.
//!
//! ```text
//! recovery, noise, times, dummies, stability, contest (synthetic functions) ─ claims
//! ```

pub mod config;
pub mod expand;
pub mod network;
pub mod stages;
pub mod synthetic;
pub mod verdicts;
pub mod work;

use pipeline::{
    code::Table,
    config::Config,
    error::Result,
    graph::Builder,
    registry::{Experiment, Kinds},
};

/// The experiment.
pub struct Harmonica;

impl Experiment for Harmonica {
    fn id(&self) -> &'static str {
        "harmonica"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    network::kinds(kinds, code);
    synthetic::kinds(kinds, code);
    kinds.add::<stages::claims::ClaimsStage>(code);
}
