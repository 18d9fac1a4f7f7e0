//! The tables of trainings as inputs of the stages that compare them, by the name of the stage that trained.

use kit::port::{In, Many};

use crate::tables::trace::{Cost, Epoch, Step};

/// Its epochs.
#[must_use]
pub fn epochs(stage: &str) -> In<Epoch> {
    Many::new("").at(format_args!("{stage} main"))
}

/// The course of its hyper-parameters.
#[must_use]
pub fn steps(stage: &str) -> In<Step> {
    Many::new("").at(format_args!("{stage} steps"))
}

/// Its cost.
#[must_use]
pub fn cost(stage: &str) -> In<Cost> {
    Many::new("").at(format_args!("{stage} cost"))
}
