//! The label of a row: the columns with which every table of runs begins.

use kit::row::Row;
use serde::{Deserialize, Serialize};

/// One optimiser, or another procedure, with one learner on one task.
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
