//! The stages that conclude from both parts of the paper.

pub mod claims;
