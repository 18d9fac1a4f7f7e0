//! What is said of a table that is not what its reader expects.

/// A table that is not what its reader expects.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl TableError {
    /// What is wrong with the table.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl From<TableError> for pipeline::stage::Stop {
    fn from(error: TableError) -> Self {
        Self::Failed(error.0)
    }
}
