//! Preprocessing of rows: scaling, over-sampling, label engineering. Everything is fitted on training rows
//! only.

pub mod fuzzy;
pub mod kdtree;
pub mod label_engineering;
pub mod scaler;
pub mod smote;
pub mod ultrasample;
