//! The stages on texts, one kind per file.

pub mod ask;
pub mod choose;
pub mod collect;
pub mod cut;
pub mod population;
pub mod race;
pub mod timed;
pub mod train;
