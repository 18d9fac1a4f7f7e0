//! Table 1 on synthetic functions.

use std::borrow::Cow;

use kit::row::Row;

/// A stage with a varied setting.
#[derive(Row, Clone, Debug, Default)]
pub struct Moved {
    /// function and samples
    pub seed: u32,
    /// stage, from 1
    pub stage: u32,
    /// what is moved: lambda or samples
    pub moved: Cow<'static, str>,
    /// where in its range
    pub at: Cow<'static, str>,
    /// λ of eq. (2), or the samples
    pub value: f64,
    /// features and signs shared with the middle of λ's range on all samples
    pub shared: usize,
    /// whether these are all
    pub same: bool,
}
