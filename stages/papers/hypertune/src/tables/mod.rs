//! The rows of the tables. A reader of a table depends on its row, and not on the stage that writes it.

pub mod complexity;
pub mod convergence;
pub mod split;
pub mod trials;
