//! The results of Algorithm 1 for other N1 and N2.

use std::borrow::Cow;

use kit::row::Row;

/// A cell of Figure 8 in one pool.
#[derive(Row, Clone, Debug)]
pub struct Cell {
    /// family of the task
    pub family: String,
    /// data set with its classes
    pub task: String,
    /// learner that was tuned
    pub learner: String,
    /// pool
    pub repeat: u32,
    /// configurations probed
    pub n1: usize,
    /// of which run in full
    pub n2: usize,
    /// which of the probed ones
    pub rule: Cow<'static, str>,
    /// mean test score of the best of these
    pub score: f64,
}
