//! Figure 5: the time that optimisers spend.

use std::borrow::Cow;

use kit::row::Row;

/// An optimiser after a number of evaluations.
#[derive(Row, Clone, Debug, Default)]
pub struct Spent {
    /// n
    pub variables: usize,
    /// optimiser
    pub method: Cow<'static, str>,
    /// function
    pub seed: u32,
    /// samples; of Harmonica, a stage
    pub samples: u32,
    /// evaluations in all
    pub evaluations: u32,
    /// CPU seconds in asking and telling
    pub cpu_s: f64,
    /// wall seconds likewise
    pub wall_s: f64,
}
