//! The one error type of the engine: what happened, where, and what to do about it.
//! Says nothing of how it is shown; the command line prints it and exits with its code.

use std::{fmt, io, path::Path};

use nix::errno::Errno;

/// Exit codes of the program, one for each kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// At least one stage failed, or a check did not pass.
    Failed = 1,
    /// The command line, a config or the graph is wrong; nothing was run.
    Usage = 2,
    /// The store or another file cannot be read or written.
    Store = 3,
    /// Interrupted; the next run goes on from here.
    Interrupted = 130,
}

/// Something went wrong. `Display` is one lower-case sentence; [`Error::help`] is the remedy.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    exit: Exit,
    message: String,
    help: Option<String>,
    refused: bool,
}

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of kind `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { exit, message: message.into(), help: None, refused: false }))
    }

    /// A mistake in what the user wrote.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file that cannot be read or written; a full disk and missing rights get their remedy here.
    pub fn io(doing: &str, path: &Path, source: &io::Error) -> Self {
        let mut error =
            Self::new(Exit::Store, format!("cannot {doing} {}: {source}", path.display()));
        let help = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space (`retune gc` removes artifacts nothing needs) and run again; \
                 finished stages are kept"
            }
            io::ErrorKind::PermissionDenied
                if matches!(doing, "read" | "open" | "list" | "hash") =>
            {
                "make it readable for this user, or name another store with --store DIR"
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "make it writable for this user, or name another store with --store DIR"
            }
            io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists => {
                return error.help("something else has its name: move that away, and run again");
            }
            _ if source.raw_os_error() == Some(Errno::EIO as i32) => {
                "the disk fails: see `dmesg`, mend it or name a store on another with --store DIR, \
                 and run again; finished stages are kept"
            }
            _ => return error,
        };
        error.0.refused = true;
        error.help(help)
    }

    /// Whether the disk refused: it is full, or must not be written. Other stages would fare alike.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.0.refused
    }

    /// Adds the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The remedy, where there is one.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The exit code this error ends the program with.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.0.exit
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

/// `: did you mean X?` for the candidate nearest to `word`, or nothing.
#[must_use]
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let limit = |candidate: &str| 2.max(candidate.len() / 4);
    // Words are at least as far from each other as their lengths, which are known at once.
    let near = |candidate: &&str| word.len().abs_diff(candidate.len()) <= 4 * limit(candidate);
    candidates
        .into_iter()
        .filter(near)
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit(candidate))
        .min()
        .map_or_else(String::new, |(_, candidate)| format!("; did you mean `{candidate}`?"))
}
