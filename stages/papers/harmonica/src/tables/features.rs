//! Table 3: what the stages of Harmonica found on the small network.

use kit::row::Row;

/// A feature.
#[derive(Row, Clone, Debug, Default)]
pub struct Feature {
    /// replicate, from 0
    pub replicate: u32,
    /// stage of Harmonica, from 1
    pub stage: u32,
    /// rank by size of the weight, from 1
    pub rank: u32,
    /// numbers of Table 2
    pub variables: String,
    /// names of Table 2
    pub feature: String,
    /// percentage points of test error
    pub weight: f64,
    /// variables
    pub degree: usize,
    /// dummy variables among them
    pub dummies: usize,
    /// settings without effect among them
    pub inert: usize,
}
