//! Groups of stages that share one rate, and the rate: what one operation takes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fit::Fit;

/// Stages that share one constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The kind of stage.
    pub kind: String,
    /// One of its variants.
    pub variant: String,
    /// Whether it uses a GPU.
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
    /// Seconds that a stage takes in addition to its work, for starting its process.
    pub start_s: f64,
    /// Bytes of all outputs per operation.
    pub bytes: f64,
    /// Whether the records are from this machine; otherwise they are from others, because there are none from this
    /// one.
    pub here: bool,
}
