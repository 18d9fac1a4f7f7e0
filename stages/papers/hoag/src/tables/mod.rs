//! The rows of the tables, one file per stage that writes them. A reader of a table depends on its row, and
//! not on the stage.

pub mod curves;
pub mod exact;
pub mod gradient_error;
pub mod landscape;
pub mod split;
pub mod stationarity;
pub mod trace;
