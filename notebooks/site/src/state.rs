//! The state of a stage, as a word, a style and a sign.

/// The state of a stage at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The result existed already.
    Cached,
    /// The run computed it.
    Rerun,
    /// It has no result: it failed, an input has no result, or it was not run.
    Failed,
    /// It cannot be computed here.
    Unavailable,
}

impl State {
    /// All states, in the order of the legend.
    pub const ALL: [Self; 4] = [Self::Cached, Self::Rerun, Self::Failed, Self::Unavailable];

    /// The word in legends and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Rerun => "rerun",
            Self::Failed => "failed or not run",
            Self::Unavailable => "unavailable",
        }
    }

    /// The style class.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            other => other.word(),
        }
    }

    /// The sign, of a different shape for each.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Cached => "●",
            Self::Rerun => "▶",
            Self::Failed => "✘",
            Self::Unavailable => "–",
        }
    }
}
