//! The searches that are compared, one per file.

pub mod gp_ei;
pub mod halving;
pub mod harmonica;
pub mod hyperband;
pub mod random;
