//! Tuners that also train on parts of the data, on recorded learning curves: which of 20 learners is best on a data
//! set, and how soon does a tuner know?
//!
//! ```text
//! curves ─ parts ─┬ tune ─ choices ─┬ standings ─ contests
//!                 └ external ───────┴ parity
//! ```

pub mod arm;
pub mod arms;
pub mod config;
pub mod expand;
pub mod external;
pub mod list;
pub mod parity;
pub mod parts;
pub mod standings;
pub mod tables;
pub mod task;
pub mod tune;
