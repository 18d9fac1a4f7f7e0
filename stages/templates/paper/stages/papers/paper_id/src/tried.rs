//! The rows of a search's table. They are separate from the stage that writes them, so that readers do not
//! depend on it.

use kit::row::Row;

/// One evaluation. The documentation of a field is the description of its column in the table.
#[derive(Row, Clone, Debug)]
pub struct Tried {
    /// what is tuned
    pub problem: String,
    /// the method
    pub method: String,
    /// number of the repeat
    pub repeat: u32,
    /// evaluations so far
    pub evaluation: usize,
    /// the loss of this one
    pub loss: f64,
    /// the lowest loss so far
    pub best: f64,
}
