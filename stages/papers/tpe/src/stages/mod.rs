//! The stages, one kind per file.

pub mod ablation;
pub mod arm;
pub mod claims;
pub mod importance;
pub mod ranks;
pub mod runtime;
