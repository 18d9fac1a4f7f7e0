//! The program `retune`: the registry of papers and the commands that do not belong to the engine.

mod cited;
pub mod commands;
pub mod contests;
pub mod differs;
pub mod papers;
mod printed;
pub mod sources;
