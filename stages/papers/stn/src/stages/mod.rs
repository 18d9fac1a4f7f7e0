//! The stages that conclude from all parts of the paper.

pub mod claims;
