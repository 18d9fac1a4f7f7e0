//! The rows of a search's table. Apart from the stage that writes them: who reads them does not depend on it.

use kit::row::Row;

/// One evaluation. The documentation of a field is what the table says that its column holds.
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
