//! Whether larger or smaller scores are better.

use serde::{Deserialize, Serialize};

/// Which of two scores is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The larger, as for accuracy.
    Higher,
    /// The smaller, as for a loss.
    Lower,
}

impl Better {
    /// The score with its sign chosen so that smaller is better.
    #[must_use]
    pub fn ascending(self, score: f64) -> f64 {
        match self {
            Self::Higher => -score,
            Self::Lower => score,
        }
    }

    /// Whether `a` is strictly better than `b`; false if one is NaN.
    #[must_use]
    pub fn is_better(self, a: f64, b: f64) -> bool {
        self.ascending(a) < self.ascending(b)
    }
}
