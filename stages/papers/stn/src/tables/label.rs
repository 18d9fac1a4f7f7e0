//! The label of a training.

use kit::row::Row;

/// A run of a method.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Label {
    /// what was done
    pub method: String,
    /// which repeat
    pub replicate: u32,
}
