//! The rows of the tables. A reader of a table depends on its row, and not on the stage that writes it.

pub mod asked;
pub mod collected;
pub mod gated;
pub mod image_race;
pub mod images;
pub mod label;
pub mod quadratic;
pub mod schedule;
pub mod text_race;
pub mod text_times;
pub mod trace;
