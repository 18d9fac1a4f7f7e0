//! The rows of the tables: who reads a table names its row, and nothing of the stage that writes it.

pub mod bounds;
pub mod cut;
pub mod encoded;
pub mod label;
pub mod landscape;
pub mod pool;
pub mod sensitivity;
pub mod standings;
pub mod trials;
