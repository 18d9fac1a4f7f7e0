//! Why a solver stopped, as data for a column of the results.

use serde::{Deserialize, Serialize};

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TerminationReason {
    /// The requested tolerance was reached.
    Converged,
    /// The iteration limit was reached first.
    MaxIterations,
    /// No step along the direction improved the function: the limit of the arithmetic.
    LineSearchStalled,
    /// The operator or the function was not finite or not positive along a direction.
    Breakdown,
}

impl TerminationReason {
    /// The name written to tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxIterations => "max-iterations",
            Self::LineSearchStalled => "line-search-stalled",
            Self::Breakdown => "breakdown",
        }
    }
}
