//! The precision in which a GPU multiplies.

use serde::{Deserialize, Serialize};

/// The precision of the factors of convolutions on a GPU, and of the maps between them. Parameters, statistics of
/// batch norm, the last layer and all sums have 32 bits either way.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits, as on the CPU.
    #[default]
    Float32,
    /// 16 bits: the exponents of `float32`, and 8 digits.
    Bfloat16,
}

impl Precision {
    /// Whether it is the one that the CPU has.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}
