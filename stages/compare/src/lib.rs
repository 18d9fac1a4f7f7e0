//! A comparison of tuners on tabular benchmarks: its stages and how the config expands to them. It is no paper and
//! judges no claim.
//!
//! ```text
//! data ─ tune ─ traces ─┬ standings ─ contests
//!                       ├ anytime
//!                       ├ aggregates
//!                       ├ running_time
//!                       └ pairs
//! curves ─┬ subset_optimum
//!         └ rising_curves
//! ```
//!
//! Optimisers that are programs of their own join in [`external`]; tuners that train on parts of the data first meet in
//! [`multi_fidelity`].

pub mod arm;
pub mod arms;
pub mod config;
pub mod curves;
pub mod expand;
pub mod external;
pub mod list;
pub mod multi_fidelity;
pub mod resamples;
pub mod runs;
pub mod stages;
pub mod tables;
pub mod task;
pub mod work;

use pipeline::{
    code::Table,
    config::Config,
    error::Result,
    graph::Builder,
    registry::{Experiment, Kinds},
};

/// The experiment.
pub struct Compare;

impl Experiment for Compare {
    fn id(&self) -> &'static str {
        "compare"
    }

    fn expand(&self, config: &Config, builder: &mut Builder) -> Result<()> {
        expand::expand(config, builder)
    }
}

/// Registers its stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    for listed in list::TUNERS {
        (listed.register)(kinds, code);
    }
    for listed in multi_fidelity::list::TUNERS {
        (listed.register)(kinds, code);
    }
    kinds
        .add::<multi_fidelity::parts::Parts>(code)
        .add::<multi_fidelity::standings::Standings>(code)
        .add::<multi_fidelity::external::TuneExternalParts>(code)
        .add::<multi_fidelity::parity::Compared>(code)
        .add::<stages::standings::Standings>(code)
        .add::<stages::anytime::Anytime>(code)
        .add::<stages::aggregates::Aggregates>(code)
        .add::<stages::running_time::RunningTime>(code)
        .add::<stages::pairs::Pairs>(code)
        .add::<stages::subset_optimum::SubsetOptimum>(code)
        .add::<stages::rising_curves::RisingCurves>(code)
        .add::<external::tune::TuneExternal>(code)
        .add::<external::parity::Compared>(code);
}
