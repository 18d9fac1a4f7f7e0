//! The one error type of the engine: what happened, where, and what to do about it. The command line prints the
//! message and the remedy, and exits with its code; `source` is the underlying error, if there is one. The message is
//! complete without it.

use std::{error::Error as StdError, fmt, io, path::Path};

use nix::errno::Errno;

/// Exit codes of the program, one for each kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// At least one stage failed, or a check did not pass.
    Failed = 1,
    /// The command line, a config or the graph is wrong; nothing was run.
    Usage = 2,
    /// The store or another file cannot be read or written.
    Store = 3,
    /// Interrupted; the next run continues from here.
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

    /// A file that cannot be read or written; the remedies for a full disk and for missing permissions are added
    /// here.
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

    /// Whether the disk refused: it is full or read-only. Other stages would fail in the same way.
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

    /// Adds the underlying error.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The remedy, if there is one.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The exit code with which this error ends the program.
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

/// A copy of a system error: the same number, or otherwise the same kind and message.
fn same(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(
        || io::Error::new(error.kind(), error.to_string()),
        io::Error::from_raw_os_error,
    )
}

/// `; did you mean X?` for the candidate nearest to `word`, or nothing if none is near: at most half of the letters
/// of every part between slashes may be wrong, so that `a/grid` is not taken for a misspelling of `a/data`.
#[must_use]
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(word, candidate)?, candidate)))
        .min()
        .map_or_else(String::new, |(_, candidate)| format!("; did you mean `{candidate}`?"))
}

/// The number of edits between two names, part by part; `None` if they are different names.
fn distance(word: &str, candidate: &str) -> Option<usize> {
    let mut sum = 0;
    let mut parts = candidate.split('/');
    for own in word.split('/') {
        let part = parts.next()?;
        if own != part {
            let limit = 2.max(part.len() / 4).min(part.len().div_ceil(2));
            // The distance between words is at least the difference of their lengths, which is cheap to check.
            if own.len().abs_diff(part.len()) > 4 * limit {
                return None;
            }
            let edits = strsim::damerau_levenshtein(own, part);
            sum += Some(edits).filter(|edits| *edits <= limit)?;
        }
    }
    parts.next().is_none().then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_is_another_spelling_and_no_other_name() {
        let names = ["hoag/digits/data", "hoag/digits/grid/split=0", "hoag/digits/grid", "claims"];
        let near = |word| suggestion(word, names);
        assert_eq!(near("hoag/digits/gird"), "; did you mean `hoag/digits/grid`?");
        assert_eq!(near("hoag/digits/gird/split=0"), "; did you mean `hoag/digits/grid/split=0`?");
        assert_eq!(
            near("hoag/digits/gridd/split=00"),
            "; did you mean `hoag/digits/grid/split=0`?"
        );
        assert_eq!(near("claimd"), "; did you mean `claims`?");
        for other in ["hoag/digits/smbo", "hoag/digits", "nosuch", "", "data", "hoag/faces/grid"] {
            assert_eq!(near(other), "", "{other}");
        }
    }

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
