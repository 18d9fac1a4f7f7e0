//! The stages that draw conclusions from all parts of the paper.

pub mod claims;
