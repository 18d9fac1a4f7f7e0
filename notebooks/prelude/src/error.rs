//! Errors of reading and drawing in a notebook.

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a table or figure could not be shown.
#[derive(thiserror::Error)]
pub enum Error {
    /// There is no folder of artifacts here or above.
    #[error(
        "no folder `artifacts` in {from} or above it; run `make reproduce`, or set RETUNE_ARTIFACTS"
    )]
    NoStore {
        /// The folder where the search began.
        from: std::path::PathBuf,
    },
    /// The store reported an error.
    #[error("{0}")]
    Store(String),
    /// A file or the working folder could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
    /// The table has no such column.
    #[error("{stage} has no column `{column}` of type {wanted}; it has {present}")]
    Column {
        /// The stage and output of the table.
        stage: String,
        /// The requested column.
        column: String,
        /// The requested type.
        wanted: &'static str,
        /// The existing columns, with their types.
        present: String,
    },
    /// A column's Arrow type is not supported in notebooks.
    #[error("{stage}: column `{column}` has type {found}, which notebooks do not read")]
    Type {
        /// The stage and output of the table.
        stage: String,
        /// The column.
        column: String,
        /// Its Arrow type.
        found: String,
    },
    /// A figure without a single point.
    #[error("nothing to draw for `{title}`: {why}")]
    Empty {
        /// The figure.
        title: String,
        /// The missing data.
        why: String,
    },
    /// A query without an answer.
    #[error("{0}")]
    Sql(String),
    /// A drawing that cannot be rendered as an image.
    #[error("cannot draw: {0}")]
    Drawing(String),
}

impl Error {
    /// Wraps an error of the store.
    pub fn store(source: impl std::fmt::Display) -> Self {
        Self::Store(source.to_string())
    }

    /// Wraps an error of a drawing.
    pub fn drawing(source: impl std::fmt::Display) -> Self {
        Self::Drawing(source.to_string())
    }
}

// `unwrap` in a cell prints the Debug form, which should read like the message.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}
