//! One optimiser a file. They know problems and solvers, never a paper or the engine.

pub mod adaptive_step;
pub mod grid;
pub mod hoag;
pub mod hoag_rules;
pub mod iterdiff;
pub mod random;
pub mod smbo;
