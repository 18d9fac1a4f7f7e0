//! Error curves, and the area between GP-EI and a method.

use std::borrow::Cow;

use kit::row::Row;

/// A learner on a data set.
#[derive(Row, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskName {
    /// learner on a data set
    pub task: String,
    /// learner that was tuned
    pub learner: String,
    /// data set
    pub data: String,
}

/// A point of a curve.
#[derive(Row, Clone, Debug)]
pub struct Reached {
    /// The task.
    #[row(flatten)]
    pub task: TaskName,
    /// what progress is measured by
    pub axis: Cow<'static, str>,
    /// tuner
    pub method: String,
    /// repeat, from 0
    pub repeat: u32,
    /// progress, as a share of HyperTune's
    pub at: f64,
    /// lowest validation error so far
    pub error: f64,
}

/// The area in one repeat.
#[derive(Row, Clone, Debug)]
pub struct Area {
    /// learner on a data set
    pub task: String,
    /// what progress is measured by
    pub axis: Cow<'static, str>,
    /// tuner compared with GP-EI
    pub method: String,
    /// repeat, from 0
    pub repeat: u32,
    /// mean lead in validation error, from where both have one
    pub area: f64,
    /// share of the progress at which it is not behind
    pub ahead: f64,
}
