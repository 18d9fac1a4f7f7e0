//! The stages, one per file.

pub mod claims;
pub mod search;
