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

    /// Whether `a` is strictly better than `b`; false if either is NaN.
    #[must_use]
    pub fn is_better(self, a: f64, b: f64) -> bool {
        self.ascending(a) < self.ascending(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_better_than_its_equal_or_nan() {
        assert!(Better::Higher.is_better(2.0, 1.0) && !Better::Higher.is_better(1.0, 2.0));
        assert!(Better::Lower.is_better(1.0, 2.0) && !Better::Lower.is_better(1.0, 1.0));
        for better in [Better::Higher, Better::Lower] {
            assert!(!better.is_better(f64::NAN, 1.0) && !better.is_better(1.0, f64::NAN));
        }
    }
}
