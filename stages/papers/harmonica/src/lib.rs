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

use kit::claims::criteria::{CalibrationStage, ClaimsStage};
use models::polynomial::parity::Basis;
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

/// The share of lone dummy variables among all monomials of degree 1 to `degree`; NaN if these are too
/// many to count.
fn dummies_among(variables: usize, dummies: usize, degree: usize) -> f64 {
    let basis = Basis::new((0..variables).collect(), degree);
    basis.map_or(f64::NAN, |basis| dummies as f64 / (basis.columns() - 1) as f64)
}

/// Registers the paper's stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    network::kinds(kinds, code);
    synthetic::kinds(kinds, code);
    kinds
        .add::<CalibrationStage<stages::claims::HarmonicaCriteria>>(code)
        .add::<ClaimsStage<stages::claims::HarmonicaCriteria>>(code);
}
