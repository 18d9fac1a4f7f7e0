//! What a row is about: the columns that every table of runs begins with.

use kit::row::Row;
use serde::{Deserialize, Serialize};

/// One optimiser, or what else was done, with one learner on one task.
#[derive(Row, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// family of the task
    pub family: String,
    /// data set with its classes
    pub task: String,
    /// optimiser
    pub method: String,
    /// learner that was tuned
    pub learner: String,
}
