//! What can go wrong while the pages are made.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of making pages.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the pages could not be made.
#[derive(Debug, Error)]
pub enum Error {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] pipeline::Error),
    /// A table lacks a column, or it has another type.
    #[error("table {output} of stage {stage} has no {wanted} column `{column}`, only {present}")]
    Column {
        /// The stage.
        stage: String,
        /// Its output.
        output: String,
        /// The column.
        column: String,
        /// What it should hold.
        wanted: &'static str,
        /// The columns that are there.
        present: String,
    },
    /// A file could not be read or written.
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A page could not be put together.
    #[error("cannot fill in page {page}: {source}")]
    Page {
        /// The page's file name.
        page: String,
        /// What the template said.
        source: askama::Error,
    },
}

impl Error {
    pub(crate) fn io(verb: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { verb, path: path.to_owned(), source }
    }
}
