//! What has no result here, and why.

pub mod lacking;
pub mod missing;
