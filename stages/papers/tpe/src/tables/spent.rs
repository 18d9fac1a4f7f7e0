//! What methods themselves take.

use kit::row::Row;

/// The time of a run on the sphere function, which costs nothing.
#[derive(Row, Clone, Debug)]
pub struct Spent {
    /// the method
    pub method: String,
    /// number of dimensions
    pub dimensions: u32,
    /// number of the seed
    pub seed: u32,
    /// evaluations
    pub evaluations: u32,
    /// CPU time of asking and telling
    #[row(unit = "s")]
    pub cpu: f64,
}
