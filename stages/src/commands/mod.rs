//! The commands that `retune` adds to those of the engine.

pub mod claims;
pub mod data;
pub mod new;
pub mod pages;
pub mod papers;
pub mod reference;
pub mod report;
mod results;
mod scaffold;
pub mod schema;
