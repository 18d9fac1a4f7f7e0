//! The one error type of the engine: what happened, where, and what to do about it.
//! The command line prints message and remedy, and exits with its code; `source` has what caused it, where that
//! was another error. The message says all by itself.

use std::{error::Error as StdError, fmt, io, path::Path};

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
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The engine's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of kind `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        let (message, help, refused, source) = (message.into(), None, false, None);
        Self(Box::new(Inner { exit, message, help, refused, source }))
    }

    /// A mistake in what the user wrote.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file that cannot be read or written; a full disk and missing rights get their remedy here.
    pub fn io(doing: &str, path: &Path, source: &io::Error) -> Self {
        let mut error =
            Self::new(Exit::Store, format!("cannot {doing} {}: {source}", path.display()))
                .because(same(source));
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

    /// Adds what caused it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
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

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// An error of the system once more: the same number, or else the same kind and message.
fn same(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(
        || io::Error::new(error.kind(), error.to_string()),
        io::Error::from_raw_os_error,
    )
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_caused_an_error_is_its_source() {
        let path = Path::new("none/there");
        let cause = std::fs::read(path).unwrap_err();
        let error = Error::io("read", path, &cause);
        assert_eq!(error.to_string(), format!("cannot read none/there: {cause}"));
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
        assert_eq!((source.kind(), source.raw_os_error()), (cause.kind(), cause.raw_os_error()));
        let own = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        let error = Error::io("open", path, &own);
        assert_eq!(error.source().unwrap().to_string(), "it is no regular file");
        let number = "x".parse::<u32>().unwrap_err();
        let error =
            Error::usage(format!("--jobs: {number}")).because(number.clone()).help("name a number");
        assert_eq!(error.source().and_then(|source| source.downcast_ref()), Some(&number));
        assert!(Error::usage("alone").source().is_none());
    }
}
