//! What has a rate of its own, and the rate: what an operation of it takes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fit::Fit;

/// What has a constant of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The kind of stage.
    pub kind: String,
    /// Which of its variants.
    pub variant: String,
    /// Whether it has a GPU.
    pub gpu: bool,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.variant.is_empty() {
            write!(f, " ({})", self.variant)?;
        }
        if self.gpu { f.write_str(" on a GPU") } else { Ok(()) }
    }
}

/// The constants of a group.
#[derive(Clone, Debug)]
pub struct Rate {
    /// CPU seconds.
    pub cpu: Fit,
    /// Elapsed seconds.
    pub wall: Fit,
    /// Seconds that a stage takes beside its work, for the start of its process.
    pub start_s: f64,
    /// Bytes of all outputs an operation.
    pub bytes: f64,
    /// Whether the records are of this machine; else of others, because of this one there are none.
    pub here: bool,
}
