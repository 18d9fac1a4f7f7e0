//! What can go wrong while notebooks are carried out over stores.

use std::path::Path;

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a step came to no end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] pipeline::Error),
    /// A file or a program could not be used.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program ended as it must not.
    #[error("{0}")]
    Ended(String),
}

impl Error {
    /// Of a file that could not be used.
    pub fn io(verb: &str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { doing: format!("{verb} {}", path.display()), source }
    }
}
