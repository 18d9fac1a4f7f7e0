//! Problems, tuners, learners, statistics and the papers built from them.
//!
//! Arrows: `papers` → `tuners`, `models`, `stats`, `data`, `table`, `claims` → `solve`, `linalg`.
//! Tuners name neither the engine nor a paper.

pub mod claims;
pub mod commands;
pub mod data;
pub mod linalg;
pub mod metrics;
pub mod models;
pub mod papers;
pub mod preprocess;
pub mod problem;
pub mod reference;
pub mod solve;
pub mod space;
pub mod stats;
pub mod table;
pub mod tuner;
pub mod tuners;
