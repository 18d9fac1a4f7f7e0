//! Optimisers that evaluate configurations with growing budgets, and the arithmetic of these.

mod around;
pub mod asha;
pub mod belief;
pub mod bohb;
pub mod brackets;
pub mod dehb;
pub mod hyperband;
pub mod prior_band;
pub mod schedule;
pub mod successive_halving;
