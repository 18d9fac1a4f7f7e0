//! The stages on synthetic functions, one kind per file.

pub mod contest;
pub mod dummies;
pub mod noise;
pub mod recovery;
pub mod stability;
pub mod times;
