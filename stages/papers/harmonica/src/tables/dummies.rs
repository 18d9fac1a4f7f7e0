//! What Harmonica selects if some variables have no effect.

use kit::row::Row;

/// A selected feature.
#[derive(Row, Clone, Debug, Default)]
pub struct Selected {
    /// function and samples
    pub seed: u32,
    /// stage, from 1
    pub stage: usize,
    /// place by the size of its weight
    pub rank: usize,
    /// its variables
    pub feature: String,
    /// its weight
    pub weight: f64,
    /// how many of them do nothing
    pub dummies: usize,
    /// whether it is one dummy variable
    pub alone: bool,
    /// the share of such features among all that could be selected
    pub chance: f64,
}
