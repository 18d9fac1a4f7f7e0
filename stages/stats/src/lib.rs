//! The statistics by which claims are judged: tests, effect sizes, intervals, trends, aggregates and metrics.
//!
//! An undefined result (no values, a NaN among them, all values equal) is NaN, never a panic: a p that is NaN
//! rejects nothing.

pub mod adjust;
pub mod aggregates;
pub mod alternative;
pub mod anytime;
pub mod better;
pub mod bootstrap;
pub mod distribution;
pub mod effect;
pub mod equivalence;
pub mod flawed;
pub mod improvement;
pub mod metrics;
pub mod moments;
pub mod order;
pub mod proportion;
pub mod rank_tests;
pub mod ratio;
pub mod resampling;
pub mod running_time;
pub mod standing;
pub mod student;
pub mod trends;
