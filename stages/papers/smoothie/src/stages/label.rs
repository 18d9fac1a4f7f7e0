//! What a row is about: the columns that every table of runs begins with.

use kit::table::Columns;
use serde::{Deserialize, Serialize};

/// One optimiser with one learner on one task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// Family of the task.
    pub family: String,
    /// The task.
    pub task: String,
    /// The optimiser, or what else was done.
    pub method: String,
    /// The learner, as the paper abbreviates it.
    pub learner: String,
}

impl Label {
    /// Its columns, for `n` rows.
    #[must_use]
    pub fn columns(&self, n: usize) -> Columns {
        let all = |text: &str| std::iter::repeat_n(text.to_owned(), n);
        Columns::new()
            .text("family", "family of the task", all(&self.family))
            .text("task", "data set with its classes", all(&self.task))
            .text("method", "optimiser", all(&self.method))
            .text("learner", "learner that was tuned", all(&self.learner))
    }
}
