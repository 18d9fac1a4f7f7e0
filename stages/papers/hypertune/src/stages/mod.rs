//! The stages of HyperTune, one per file.

pub mod absent;
pub mod claims;
pub mod complexity;
pub mod convergence;
pub mod rival;
pub mod split;
pub mod standings;
pub mod subset;
pub mod whole;
