//! Self-tuning networks on texts, \[MacKay2019\] section 4.1 and appendices F and H.
//!
//! ```text
//! data ─ cut ─┐
//! ask ──── train ─ collect ─ claims
//!           │ └─ race ─────────┤
//! population ───┘ └─ timed (the race by time)
//!         choose ─ train (a schedule that follows from earlier trainings)
//! ```
//!
//! Every experiment consists of trainings of one kind, which differ in their settings; a training that two
//! experiments need is carried out once. Population-based training is an extension.

pub mod asked;
pub mod config;
pub mod cost;
pub mod expand;
mod experiments;
pub mod learn;
pub mod schedule;
pub mod search;
pub mod stages;
pub mod trained;
mod trainings;

use pipeline::{code::Table, registry::Kinds};

/// Registers the stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::ask::Ask>(code)
        .add::<stages::choose::Choose>(code)
        .add::<stages::collect::Collect>(code)
        .add::<stages::cut::CutStage>(code)
        .add::<stages::population::Population>(code)
        .add::<stages::race::Race>(code)
        .add::<stages::timed::Timed>(code)
        .add::<stages::train::Train>(code);
}
