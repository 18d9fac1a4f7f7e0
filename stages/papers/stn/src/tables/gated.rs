//! Random linear networks compared with the regression that minimises the same loss.

use std::borrow::Cow;

use kit::row::Row;

/// A network at one penalty.
#[derive(Row, Clone, Debug, Default)]
pub struct GatedRow {
    /// number of inputs D
    pub dimension: usize,
    /// largest scale of an input over the smallest
    pub spread: f64,
    /// random data set
    pub seed: u32,
    /// which loss and constants
    pub reading: Cow<'static, str>,
    /// whether the claim is judged by it
    pub decides: bool,
    /// λ, the logarithm of the penalty
    pub lambda: f64,
    /// distance of the network's weights from the regression's over the length of these
    pub error: f64,
}
