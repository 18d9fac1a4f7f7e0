//! What can go wrong with a study.

use std::path::{Path, PathBuf};

use crate::tuner;

/// Why a study refused a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting of the method is out of range.
    #[error(transparent)]
    Tuner(#[from] tuner::Error),
    /// A round without trials.
    #[error("size = 0: a round has at least 1 trial")]
    EmptyRound,
    /// A condition does not fit the space.
    #[error("condition of `{parameter}` on `{on}`: expected {expected}")]
    Condition {
        /// The parameter.
        parameter: String,
        /// The other one.
        on: String,
        /// What would fit.
        expected: &'static str,
    },
    /// There is no such trial.
    #[error("trial {id} was never handed out: tell a number that `ask` gave")]
    Unknown {
        /// Its number.
        id: u64,
    },
    /// It has an outcome.
    #[error("trial {id} was told already: each trial is told once")]
    AlreadyTold {
        /// Its number.
        id: u64,
    },
    /// It is waiting to be handed out.
    #[error("trial {id} is not out: it was given back already")]
    NotOut {
        /// Its number.
        id: u64,
    },
    /// The file could not be used.
    #[error("{}: cannot {what}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// The file holds something else.
    #[error("{}: line {line}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is there, with a remedy.
        what: String,
    },
    /// An earlier call could not write the file.
    #[error("{}: an earlier call failed to write it: open the study again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
}

impl Error {
    pub(super) fn header(path: &Path, error: &serde_json::Error) -> Self {
        let what = format!("the settings cannot be written: {error}");
        Self::Content { path: path.to_owned(), line: 1, what }
    }

    pub(super) fn other(path: &Path, line: usize, id: u64) -> Self {
        let what = format!(
            "trial {id} is not the one that this tuner suggests: the study is from another version or build of the \
             library; go on with that one, or begin another file"
        );
        Self::Content { path: path.to_owned(), line, what }
    }

    pub(super) fn unfit(path: &Path, line: usize) -> Self {
        let what = "this does not follow from the lines before: restore the file, or begin another"
            .to_owned();
        Self::Content { path: path.to_owned(), line, what }
    }

    /// Whether what is in memory may no longer be what the file says.
    pub(super) fn breaks(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Content { .. })
    }
}
