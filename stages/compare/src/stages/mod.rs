//! The stages, one per file.

pub mod aggregates;
pub mod anytime;
pub mod pairs;
pub mod running_time;
pub mod standings;
pub mod tune;
