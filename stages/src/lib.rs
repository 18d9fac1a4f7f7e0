//! The program `retune`: the registry of papers and the commands that are not the engine's.

pub mod commands;
pub mod contests;
pub mod differs;
pub mod papers;
