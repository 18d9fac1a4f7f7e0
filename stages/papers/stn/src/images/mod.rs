//! Images, \[MacKay2019\] section 4.2 and appendix H: a network that tunes its hyper-parameters during
//! training, compared with searches that train one network after another at the same cost.
//!
//! ```text
//! data ─ cut ─┬─ tuned (one training each) ──── race, epochs, steps ─ claims
//!             ├─ searched (trainings in turn) ─ race, configurations ─ claims
//!             ├─ population (an extension) ── race, members ──────── claims
//!             └─ tuned (schedules, scales) ──── sensitivity ────────── claims
//! ```

pub mod config;
pub mod cost;
pub mod expand;
pub mod rows;
pub mod search;
pub mod setting;
pub mod stages;

use pipeline::{code::Table, registry::Kinds};

/// The claims that rest on images.
pub const CLAIMS: [&str; 3] = ["N8", "N9", "N11"];

/// Registers the stage kinds.
pub fn kinds(kinds: &mut Kinds, code: Table) {
    kinds
        .add::<stages::cut::Cut>(code)
        .add::<stages::tuned::Tuned>(code)
        .add::<stages::searched::Searched>(code)
        .add::<stages::population::Population>(code)
        .add::<stages::race::Race>(code);
}
