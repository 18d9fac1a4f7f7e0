//! The stages that draw conclusions from both parts of the paper.

pub mod claims;
