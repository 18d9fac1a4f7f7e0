//! A split of a data set into three parts.

use kit::row::Row;

/// A row of the data set.
#[derive(Row, Clone, Debug)]
pub struct Part {
    /// row of the data set
    pub row: usize,
    /// 0 training, 1 validation, 2 held out
    pub part: u32,
}
