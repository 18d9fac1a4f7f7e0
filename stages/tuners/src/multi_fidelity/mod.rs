//! Optimisers that evaluate configurations with growing budgets, and the arithmetic of these.

pub mod asha;
pub mod bohb;
pub mod brackets;
pub mod dehb;
pub mod hyperband;
pub mod schedule;
pub mod successive_halving;
