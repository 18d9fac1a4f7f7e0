//! Data sets as stages, each fetched, checked, read and stored once for every paper; and how stages read what is
//! stored.

pub mod benchmark;
pub mod benchmark_table;
pub mod corpus;
pub mod curve_table;
pub mod curves;
pub mod image_table;
pub mod images;
pub mod load;
pub mod source;
pub mod stored;
