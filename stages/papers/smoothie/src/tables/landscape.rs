//! The curvature of the loss around a trained network.

use kit::row::Row;

use super::label::Label;

/// One surface.
#[derive(Row, Clone, Debug)]
pub struct Curved {
    /// The task.
    #[row(flatten)]
    pub label: Label,
    /// repeat, from 0
    pub repeat: u32,
    /// after tuning
    pub tuned: bool,
    /// mean magnitude of the second differences of the surface
    pub curvature: f64,
}
