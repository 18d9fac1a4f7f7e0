//! The stages of the network experiments, one per file.

pub mod ask;
pub mod cut;
pub mod race;
pub mod sampling;
pub mod stability;
pub mod transfer;
pub mod trial;
pub mod usual;
pub mod weights;
