//! The stages of SMOOTHIE, one per file.

pub mod audit;
pub mod bounds;
pub mod claims;
pub mod contrasts;
pub mod cut;
pub mod encode;
pub mod intervals;
pub mod landscape;
pub mod pool;
pub mod sensitivity;
pub mod standings;
pub mod tune;
