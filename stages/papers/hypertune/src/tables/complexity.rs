//! Errors along the axis from the simplest model to the most complex.

use std::borrow::Cow;

use kit::row::Row;

/// The errors at one point of the axis.
#[derive(Row, Clone, Debug)]
pub struct Along {
    /// learner on a data set
    pub task: String,
    /// learner
    pub learner: String,
    /// data set
    pub data: String,
    /// repeat, from 0
    pub repeat: u32,
    /// what was learned from
    pub size: Cow<'static, str>,
    /// 0 simplest, 1 most complex
    pub complexity: f64,
    /// error on the validation part
    pub validation: f64,
}
