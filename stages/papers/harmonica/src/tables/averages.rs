//! Figure 4: errors of random samples.

use kit::row::Row;

/// The errors of the samples under the restrictions of a number of stages.
#[derive(Row, Clone, Debug, Default)]
pub struct Average {
    /// replicate, from 0
    pub replicate: u32,
    /// stages that restrict the samples
    pub stage: u32,
    /// random samples
    pub samples: usize,
    /// mean test error
    pub error: f64,
    /// its standard deviation over samples
    pub deviation: f64,
    /// share of trainings that diverged
    pub diverged: f64,
}
