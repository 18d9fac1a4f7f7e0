//! What can go wrong with an optimiser that is a process of its own.

use std::time::Duration;

/// Why an optimiser could not be started or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program could not be started.
    #[error("`{program}` cannot be started: {source}; is it installed, and may it be executed?")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It ended, or closed a pipe, while an answer was awaited.
    #[error("the optimiser ended ({status}) instead of answering `{request}`{words}")]
    Ended {
        /// How it ended.
        status: String,
        /// What it was asked.
        request: &'static str,
        /// What it wrote last to its standard error.
        words: Words,
    },
    /// No answer came in time.
    #[error("no answer to `{request}` within {limit:?}{words}")]
    Late {
        /// What it was asked.
        request: &'static str,
        /// How long it was waited for.
        limit: Duration,
        /// What it wrote last to its standard error.
        words: Words,
    },
    /// The answer is not one of the protocol.
    #[error("the answer to `{request}` is {what}: {line}{words}")]
    Answer {
        /// What it was asked.
        request: &'static str,
        /// What is wrong.
        what: String,
        /// The answer's beginning.
        line: String,
        /// What it wrote last to its standard error.
        words: Words,
    },
    /// The optimiser says that it cannot go on.
    #[error("the optimiser says to `{request}`: {message}{words}")]
    Refused {
        /// What it was asked.
        request: &'static str,
        /// Its reason.
        message: String,
        /// What it wrote last to its standard error.
        words: Words,
    },
}

/// What was or was not said.
pub type Result<T> = std::result::Result<T, Error>;

/// The last lines that a process wrote to its standard error; empty where it wrote none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub String);

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return write!(f, "; it wrote nothing to its standard error");
        }
        write!(f, "; its last words:\n{}", self.0)
    }
}
