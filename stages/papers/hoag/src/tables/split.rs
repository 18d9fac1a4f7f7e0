//! A split into three parts.

use kit::row::Row;

/// A row of the data set.
#[derive(Row, Clone, Debug)]
pub struct Part {
    /// row of the data set
    pub row: usize,
    /// 0 train (inner), 1 test (outer), 2 validation
    pub part: u32,
    /// what is to be predicted
    pub target: f64,
}
