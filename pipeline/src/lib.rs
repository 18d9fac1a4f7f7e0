//! A content-hashed DAG engine: typed stages, a content-addressed Parquet store, parallel runs,
//! and an explanation of every rerun. It knows no experiment, no optimiser and no tensor.
//!
//! Modules, each using only those above it:
//! [`error`], [`digest`], [`disk`], [`seed`], [`table`], [`kernels`], [`machine`], [`program`] → [`stage`], [`work`], [`code`], [`config`] →
//! [`registry`], [`graph`] → [`manifest`] → [`store`] → [`plan`], [`remote`], [`estimate`] → [`run`] → [`absence`] → [`artifacts`], [`provenance`] → [`recorded`] → `cli`. [`fold`] names sweeps for people.

pub mod absence;
pub mod artifacts;
#[cfg(feature = "cli")]
pub mod cli;
pub mod code;
pub mod config;
pub mod digest;
pub mod disk;
pub mod error;
pub mod estimate;
pub mod event;
pub mod fold;
pub mod graph;
pub mod kernels;
pub mod machine;
pub mod manifest;
pub mod plan;
pub mod program;
pub mod provenance;
pub mod recorded;
pub mod registry;
mod regular;
pub mod remote;
pub mod run;
pub mod seed;
pub mod stage;
pub mod store;
pub mod table;
pub mod work;

pub use error::{Error, Result};
