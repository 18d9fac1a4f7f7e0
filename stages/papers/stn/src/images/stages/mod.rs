//! The stages that train on images, and the one that compares.

pub mod cut;
pub mod population;
pub mod race;
pub mod searched;
pub mod tuned;
