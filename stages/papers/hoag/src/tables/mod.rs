//! The rows of the tables, one file per stage that writes them: who reads a table names its row, and nothing
//! of the stage.

pub mod curves;
pub mod exact;
pub mod gradient_error;
pub mod landscape;
pub mod split;
pub mod stationarity;
pub mod trace;
