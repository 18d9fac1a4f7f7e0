//! The training, validation and test rows of a repeat.

use kit::row::Row;

/// A row of the data set in a repeat.
#[derive(Row, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// repeat, from 0
    pub repeat: usize,
    /// row of the data set
    pub row: usize,
    /// 0 learned from, 1 compared on, 2 reported on
    pub part: u32,
    /// class
    pub label: u32,
}
