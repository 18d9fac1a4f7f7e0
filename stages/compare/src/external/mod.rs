//! Optimisers that are programs of their own, beside the tuners of this project: the ready adapters for packages of
//! Python, and a user's own. What is not installed is unavailable, and everything else runs without it. `parity` says
//! whether our tuners do as well as the packages that they follow.
//!
//! ```text
//! data ─ program ─ external/traces ─┬ parity
//!        tune ──── traces ──────────┘
//! ```

pub mod adapters;
pub mod config;
pub mod expand;
pub mod parity;
pub mod program;
pub mod ranks;
pub mod tables;
pub mod tune;
