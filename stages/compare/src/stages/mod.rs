//! The stages, one per file.

pub mod aggregates;
pub mod anytime;
pub mod pairs;
pub mod rising_curves;
pub mod running_time;
pub mod standings;
pub mod subset_optimum;
pub mod tune;
