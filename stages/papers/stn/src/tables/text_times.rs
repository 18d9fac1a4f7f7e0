//! The progress of each method on a text, by the time that its trainings took.

use kit::{cell::NanIsNull, row::Row};

use super::text_race::RunName;

/// What a run had found by a time.
#[derive(Row, Clone, Debug, Default)]
pub struct ByThen {
    /// The run.
    #[row(flatten)]
    pub run: RunName,
    /// CPU seconds of its trainings so far
    #[row(with = NanIsNull)]
    pub cpu_s: f64,
    /// elapsed seconds of them
    #[row(with = NanIsNull)]
    pub wall_s: f64,
    /// least validation perplexity by then
    pub perplexity: f64,
}
