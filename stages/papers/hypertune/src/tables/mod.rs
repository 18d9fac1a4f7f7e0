//! The rows of the tables: who reads a table names its row, and nothing of the stage that writes it.

pub mod complexity;
pub mod convergence;
pub mod split;
pub mod trials;
