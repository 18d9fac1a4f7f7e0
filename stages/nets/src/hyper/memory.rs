//! What a layer of LSTM units remembers.

use tch::Tensor;

/// The state of a layer between two segments of text.
#[derive(Debug)]
pub struct Memory {
    /// Outputs h (B×u).
    pub hidden: Tensor,
    /// Cells c (B×u).
    pub cell: Tensor,
}
