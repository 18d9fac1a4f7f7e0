//! The suggestions of a search.

use kit::row::Row;

/// A hyper-parameter of a configuration.
#[derive(Row, Clone, Debug)]
pub struct AskedValue {
    /// place in the round, from 0
    pub row: usize,
    /// number within the search, from 0
    pub number: u32,
    /// epochs to train
    pub epochs: u32,
    /// hyper-parameter
    pub name: String,
    /// its value
    pub value: f64,
}
