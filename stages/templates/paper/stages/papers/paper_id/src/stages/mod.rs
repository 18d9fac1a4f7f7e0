//! The stages, one a file.

pub mod claims;
pub mod search;
