//! The report that readers open first: static pages written from the artifacts of a store. They need no
//! server and no network, follow the reader's light or dark theme, can be printed, and are complete without
//! scripts. Everything shown was computed by stages, except ranks and averages of their numbers.
//!
//! Pages: `index.html` (each paper's answer, all claims, forest plots), `paper-ID.html` (claims with their evidence),
//! `figures.html` (curves, ranks, critical differences), `parity.html` (our tuners against the packages that they follow),
//! `stages.html` (the graph), `run.html` (what was recomputed and why) and `provenance.html` (environment and cost). In
//! addition, `index.parquet` lists all artifacts.
//!
//! Invariant: the same store gives the same bytes. The first four depend on artifacts alone, and on the name
//! of the profile; the last three also contain times and hosts, which differ between two computations of the
//! same artifacts.

pub mod absent;
pub mod budgets;
pub mod contests;
pub mod downloads;
pub mod drawing;
pub mod error;
mod executed;
pub mod figures;
mod filters;
mod front_page;
pub mod history;
pub mod index;
pub mod names;
pub mod origin;
mod pages;
pub mod paper;
mod parity;
pub mod published;
pub mod recorded;
mod remaining;
mod search;
pub mod sources;
pub mod state;
pub mod traces;
pub mod verdicts;
pub mod words;
mod write;

pub use error::{Error, Result};
pub use write::write;
