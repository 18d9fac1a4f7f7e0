//! Errors of executing notebooks over stores.

use std::path::Path;

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store reported an error.
    #[error(transparent)]
    Store(#[from] pipeline::Error),
    /// A file or a program could not be used.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The operation.
        doing: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A program failed.
    #[error("{0}")]
    Ended(String),
}

impl Error {
    /// The error for a file that could not be used.
    pub fn io(verb: &str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { doing: format!("{verb} {}", path.display()), source }
    }
}
