//! The rows of the tables. A reader of a table depends on its row, and not on the stage that writes it.

pub mod bounds;
pub mod cut;
pub mod encoded;
pub mod ended;
pub mod intervals;
pub mod label;
pub mod landscape;
pub mod pool;
pub mod sensitivity;
pub mod standings;
pub mod trials;
