//! Table 1 on networks.

use std::borrow::Cow;

use kit::row::Row;

/// A stage with a varied setting.
#[derive(Row, Clone, Debug, Default)]
pub struct Moved {
    /// replicate, from 0
    pub replicate: u32,
    /// stage of Harmonica, from 1
    pub stage: usize,
    /// what is moved: lambda or samples
    pub moved: Cow<'static, str>,
    /// where in its range
    pub at: Cow<'static, str>,
    /// λ of eq. (2), or the samples
    pub value: f64,
    /// the features with their signs
    pub features: String,
    /// features and signs shared with the middle of λ's range on all samples
    pub shared: usize,
    /// whether these are all, and as many as a stage selects
    pub same: bool,
}
