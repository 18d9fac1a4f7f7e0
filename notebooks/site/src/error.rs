//! Errors of writing the pages.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// The result of writing pages.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the pages could not be written.
#[derive(Debug, Error)]
pub enum Error {
    /// The store reported an error.
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
        /// The expected content.
        wanted: &'static str,
        /// The existing columns.
        present: String,
    },
    /// A table could not be written as CSV.
    #[error("cannot write table {0} as CSV: {1}")]
    Csv(String, #[source] arrow_schema::ArrowError),
    /// A file could not be read or written.
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        /// The operation.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A page could not be rendered.
    #[error("cannot fill in page {page}: {source}")]
    Page {
        /// The page's file name.
        page: String,
        /// The template's error.
        source: askama::Error,
    },
}

impl Error {
    pub(crate) fn io(verb: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io { verb, path: path.to_owned(), source }
    }
}
