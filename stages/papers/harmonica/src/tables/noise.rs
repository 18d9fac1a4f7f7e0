//! The error of Harmonica's estimate against the noise.

use kit::row::Row;

/// A stage at one noise level.
#[derive(Row, Clone, Debug, Default)]
pub struct Estimated {
    /// range of levels, and samples
    pub sweep: String,
    /// whether the claim is judged by it
    pub decides: bool,
    /// noise level A
    pub level: f64,
    /// function and samples
    pub seed: u32,
    /// stage, from 1
    pub stage: u32,
    /// features that it selected
    pub features: usize,
    /// root mean square error of its polynomial at fresh points
    pub error: f64,
    /// the same with the weights of least squares on its features
    pub refitted: f64,
}
