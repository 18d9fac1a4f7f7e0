//! The rows of the tables: who reads a table names its row, and nothing of the stage that writes it.

pub mod averages;
pub mod contest;
pub mod dummies;
pub mod features;
pub mod noise;
pub mod race;
pub mod recovery;
pub mod stability;
pub mod table_1;
pub mod times;
