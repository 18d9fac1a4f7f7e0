//! The rows of the tables. A reader of a table depends on its row, and not on the stage that writes it.

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
