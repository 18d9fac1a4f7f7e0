//! HyperTune, "Fast hyperparameter tuning using Bayesian optimization with directional derivatives"
//! \[Joy2019\]: its stages and how the config expands to them. No public code exists.
//!
//! ```text
//! data ─ split ─┬─ subset-* ─ hypertune ─┬─ ei, fabolas, hyperband ─┬─ runs ─┬─ standings
//!               │                        └──────────────────────────┘        └─ convergence ─┬─ claims
//!               └─ complexity ────────────────────────────────────────────────────────────────┘
//! ```

pub mod arm;
pub mod arms;
pub mod config;
pub mod dataset;
pub mod evaluation;
pub mod evaluator;
pub mod expand;
pub mod learn;
pub mod method;
pub mod network;
pub mod runs;
pub mod stages;
pub mod tables;
pub mod task;
pub mod trials;
pub mod verdicts;
pub(crate) mod wiring;
pub mod work;

use kit::{
    claims::{Claim, wiring::Source},
    paper::Paper,
};
use pipeline::{code::Table, error::Result, graph::Builder, registry::Kinds};

use self::{config::HyperTuneConfig, stages::claims::HyperTuneCriteria};

/// The paper.
pub struct HyperTune;

impl Paper for HyperTune {
    const ID: &'static str = "hypertune";
    type Values = HyperTuneConfig;
    type Criteria = HyperTuneCriteria;

    fn stages(kinds: &mut Kinds, code: Table) {
        kinds
            .add::<stages::absent::Absent>(code)
            .add::<stages::split::Split>(code)
            .add::<stages::subset::Subset>(code)
            .add::<stages::whole::Whole>(code)
            .add::<arms::ei::RivalEi>(code)
            .add::<arms::fabolas::RivalFabolas>(code)
            .add::<arms::hyperband::RivalHyperband>(code)
            .add::<stages::complexity::Complexity>(code)
            .add::<stages::standings::Standings>(code)
            .add::<stages::convergence::Convergence>(code);
    }

    fn add(values: &HyperTuneConfig, builder: &mut Builder) -> Result<Vec<Source>> {
        expand::add(values, builder)
    }

    fn criteria(
        values: &HyperTuneConfig,
        paper: &HyperTuneConfig,
        claims: &mut [Claim],
    ) -> HyperTuneCriteria {
        wiring::criteria(values, paper, claims)
    }
}
