//! The compared tuners, each as a stage kind of its own.

pub mod asha;
pub mod bohb;
pub mod dehb;
pub mod hyperband;
pub mod prior_band;
pub mod random;
pub mod successive_halving;
pub mod tpe;
