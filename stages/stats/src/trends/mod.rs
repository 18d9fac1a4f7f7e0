//! Tests and measures of how one quantity changes with another.

pub mod correlation;
pub mod isotonic;
pub mod logistic;
pub mod regression;
