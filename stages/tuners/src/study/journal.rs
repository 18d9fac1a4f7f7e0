//! The file of a study: one line per thing that happened, `CHECKSUM EVENT`, where the checksum (CRC-32, eight
//! hexadecimal digits) covers the checksum of the line before and the event.
//!
//! ```text
//! 5d6e7f80 study {"format":1,"space":[…],"method":{…},"settings":{…}}
//! 1a2b3c4d asked 0 9 0.25 3.0        number, divisor of the resource (0: a probe), configuration
//! 9a8b7c6d told 0 0.5 -              number, loss or `-` for a failure, cost or `-`
//! 0f1e2d3c back 0                    given back
//! ```
//!
//! Numbers are the shortest decimals that lead back to the same bits. All is read and written under the file's lock.
//! The newline is written last: what follows the last one was being written when its process ended, and is cut off.
//! Any whole line that does not fit its checksum is damage, and an error.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::{Error, Outcome};
use crate::tuner::{Fidelity, Suggestion};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// A trial was handed out.
    Asked {
        /// The trial.
        suggestion: Suggestion,
    },
    /// A trial was told.
    Told {
        /// Its number.
        id: u64,
        /// What came of it.
        outcome: Outcome,
    },
    /// A trial was given back.
    Back {
        /// Its number.
        id: u64,
    },
}

impl Event {
    pub(super) fn asked(suggestion: &Suggestion) -> Self {
        Self::Asked { suggestion: suggestion.clone() }
    }

    fn write(&self) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:?}"));
        match self {
            Self::Asked { suggestion: Suggestion { id, config, fidelity } } => {
                let divisor = match fidelity {
                    Fidelity::Probe => 0,
                    Fidelity::Part { divisor } => *divisor,
                };
                let values: Vec<String> = config.iter().map(|v| format!("{v:?}")).collect();
                format!("asked {id} {divisor} {}", values.join(" "))
            }
            Self::Told { id, outcome } => {
                format!("told {id} {} {}", number(outcome.value), number(outcome.cost))
            }
            Self::Back { id } => format!("back {id}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let kind = words.next()?;
        let id = words.next()?.parse().ok()?;
        let finite = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite());
        let optional = |text: &str| if text == "-" { Some(None) } else { finite(text).map(Some) };
        let event = match kind {
            "asked" => {
                let fidelity = match words.next()?.parse().ok()? {
                    0 => Fidelity::Probe,
                    divisor => Fidelity::Part { divisor },
                };
                let config = words.by_ref().map(finite).collect::<Option<_>>()?;
                Self::Asked { suggestion: Suggestion { id, config, fidelity } }
            }
            "told" => {
                let (value, cost) = (optional(words.next()?)?, optional(words.next()?)?);
                Self::Told { id, outcome: Outcome { value, cost } }
            }
            "back" => Self::Back { id },
            _ => return None,
        };
        words.next().is_none().then_some(event)
    }
}

/// The checksum of a line after one with the checksum `before`.
fn checksum(before: u32, text: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.to_le_bytes());
    hasher.update(text.as_bytes());
    hasher.finalize()
}

/// The open file of a study.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Locked, together with others, by all that have the study open.
    presence: File,
    /// The end of the last line that was read.
    offset: u64,
    /// Lines read.
    lines: usize,
    /// The checksum of the last of them.
    last: u32,
    /// No call may follow one that failed to write.
    broken: bool,
}

/// Closing a file gives up its lock only when no process that was forked meanwhile holds a copy of it.
impl Drop for Journal {
    fn drop(&mut self) {
        // Where it fails, closing the file is what is left.
        let _ = self.presence.unlock();
    }
}

impl Journal {
    /// Opens a file, or begins it with a header.
    pub(super) fn open(path: &Path, header: &str) -> Result<Self, Error> {
        let failed = |what| move |error| Error::File { path: path.to_owned(), what, error };
        let open = |path: &Path| {
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
        };
        let file = open(path).map_err(failed("open it"))?;
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let presence = open(Path::new(&beside)).map_err(failed("open its lock file"))?;
        let path = path.to_owned();
        let mut journal =
            Self { path, file, presence, offset: 0, lines: 0, last: 0, broken: false };
        journal.lock()?;
        let begun = journal.begin(header);
        journal.unlock();
        begun.map(|()| journal)
    }

    /// Reads the header, or writes it.
    fn begin(&mut self, header: &str) -> Result<(), Error> {
        let expected = format!("study {header}");
        let end = self.file.metadata().map_err(self.failed("read it"))?.len();
        let mut text = Vec::new();
        self.file.read_to_end(&mut text).map_err(self.failed("read it"))?;
        let Some(length) = text.iter().position(|b| *b == b'\n') else {
            // A header that was being written has the beginning of one; anything else is not a study.
            if !self.line(&expected).as_bytes().starts_with(&text) {
                return Err(self.content("this is not a study: give another path".to_owned()));
            }
            self.cut(0, end)?;
            return self.write(&expected);
        };
        match self.text(&text[..length]) {
            Some(found) if found == expected => {}
            Some(found) if found.starts_with("study ") => {
                let what = format!(
                    "the study is of another space, method or settings: open it with those, or begin another file \
                     (it has {found}; asked for is {expected})"
                );
                return Err(self.content(what));
            }
            _ => return Err(self.content("this is not a study: give another path".to_owned())),
        }
        self.offset = length as u64 + 1;
        self.last = checksum(0, &expected);
        self.lines = 1;
        Ok(())
    }

    /// Whether no other process has the file open, in the lock's protection.
    pub(super) fn alone(&mut self) -> Result<bool, Error> {
        // Trying gives up the lock that was shared, also where it fails.
        let alone = match self.presence.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(error)) => {
                return Err(self.failed("lock its lock file")(error));
            }
        };
        self.presence.unlock().map_err(self.failed("lock its lock file"))?;
        self.presence.lock_shared().map_err(self.failed("lock its lock file"))?;
        Ok(alone)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the lock.
    pub(super) fn lock(&mut self) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Broken { path: self.path.clone() });
        }
        self.file.lock().map_err(self.failed("lock it"))
    }

    /// Lets others go on.
    pub(super) fn unlock(&mut self) {
        // Closing the file, which follows, would release a lock that this cannot.
        if self.file.unlock().is_err() {
            self.broken = true;
        }
    }

    /// No call will be answered from now on.
    pub(super) fn give_up(&mut self) {
        self.broken = true;
    }

    /// What was written since the last look, with the numbers of the lines.
    pub(super) fn news(&mut self) -> Result<Vec<(usize, Event)>, Error> {
        let end = self.file.metadata().map_err(self.failed("read it"))?.len();
        if end == self.offset {
            return Ok(Vec::new());
        }
        self.file.seek(SeekFrom::Start(self.offset)).map_err(self.failed("read it"))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(self.failed("read it"))?;
        let mut events = Vec::new();
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let Some(whole) = line.strip_suffix(b"\n") else {
                self.cut(self.offset, end)?;
                break;
            };
            let known = self.text(whole).and_then(|text| Some((text, Event::read(text)?)));
            let Some((text, event)) = known else {
                return Err(self.content(
                    "the file is damaged: restore it, or remove this line and what follows"
                        .to_owned(),
                ));
            };
            self.last = checksum(self.last, text);
            self.lines += 1;
            self.offset += line.len() as u64;
            events.push((self.lines, event));
        }
        Ok(events)
    }

    /// Appends an event. A telling is on the disk before this returns.
    pub(super) fn append(&mut self, event: &Event) -> Result<(), Error> {
        self.write(&event.write())?;
        if matches!(event, Event::Told { .. }) {
            self.file.sync_data().map_err(self.failed("write it"))?;
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        let line = self.line(text);
        let mut put = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start(self.offset))?;
            self.file.write_all(line.as_bytes())
        };
        put().map_err(self.failed("write it"))?;
        self.last = checksum(self.last, text);
        self.lines += 1;
        self.offset += line.len() as u64;
        Ok(())
    }

    fn cut(&mut self, at: u64, end: u64) -> Result<(), Error> {
        if at < end { self.file.set_len(at).map_err(self.failed("write it")) } else { Ok(()) }
    }

    fn line(&self, text: &str) -> String {
        format!("{:08x} {text}\n", checksum(self.last, text))
    }

    /// The event of the next line, without its checksum; `None` if that does not fit.
    fn text<'a>(&self, line: &'a [u8]) -> Option<&'a str> {
        let (sum, text) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        (sum == format!("{:08x}", checksum(self.last, text))).then_some(text)
    }

    fn failed(&self, what: &'static str) -> impl Fn(io::Error) -> Error + use<> {
        let path = self.path.clone();
        move |error| Error::File { path: path.clone(), what, error }
    }

    fn content(&self, what: String) -> Error {
        Error::Content { path: self.path.clone(), line: self.lines + 1, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that another thread starts has copies of all open files until its program begins.
    #[test]
    fn one_that_is_closed_is_not_there_though_a_copy_of_its_files_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study");
        let open = || Journal::open(&path, "{}").unwrap();
        let mut first = open();
        assert!(first.alone().unwrap());
        let copy = first.presence.try_clone().unwrap();
        drop(first);
        let mut second = open();
        assert!(second.alone().unwrap());
        assert!(!open().alone().unwrap(), "the second is there");
        drop((copy, second));
    }
}
