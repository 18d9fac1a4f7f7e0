//! The log: a file of facts (see `facts`) that only grows, until it is compacted (see `compact`) or repaired, which
//! replaces the file. Other processes append to it, too; a process that has read the old file notices the replacement
//! and reads the new one.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    facts::{Fact, Facts},
    index,
};
use crate::{
    disk::{Disk, Handle, Open},
    error::{Error, Result},
};

/// How many bytes of lines are read again at every start before a new snapshot is worth writing.
const TAIL: u64 = 1 << 14;

/// The log file and its facts. Other processes append to it, too: [`Log::refresh`] reads what is new.
pub struct Log {
    pub(super) disk: Disk,
    pub(super) path: PathBuf,
    file: Option<Handle>,
    /// The file that was read, kept open: as long as it is, no other file has its inode.
    seen: Option<Handle>,
    /// How far the log has been read, and how far its snapshot covers it.
    pub(super) offset: u64,
    indexed: u64,
    pub(super) facts: Facts,
}

impl Log {
    pub(super) fn open(disk: Disk, path: &Path) -> Result<Self> {
        let mut log = Self {
            disk,
            path: path.to_owned(),
            file: None,
            seen: None,
            offset: 0,
            indexed: 0,
            facts: Facts::default(),
        };
        let bytes = log.rest()?.unwrap_or_default();
        let known = index::read(&log.disk, &log.index(), &bytes);
        if let Some((facts, length)) = known {
            log.facts = facts;
            log.offset = length as u64;
            log.indexed = log.offset;
        } else {
            log.facts.reserve(bytes.len() / 256); // a typical line's length
        }
        let from = usize::try_from(log.offset).unwrap_or(usize::MAX);
        log.read(bytes.get(from..).unwrap_or_default());
        Ok(log)
    }

    fn index(&self) -> PathBuf {
        self.path.with_extension("index")
    }

    /// Writes a snapshot for the next process, unless the existing one is good enough. It carries its own digest, so
    /// an incomplete snapshot is ignored.
    pub(super) fn snapshot(&mut self) -> Result<()> {
        if self.offset < self.indexed + TAIL {
            return Ok(());
        }
        self.refresh()?; // the facts must be those of the bytes below
        let bytes = self.disk.read(&self.path).map_err(|e| Error::io("read", &self.path, &e))?;
        let Some(covered) = usize::try_from(self.offset).ok().and_then(|n| bytes.get(..n)) else {
            return Ok(()); // somebody truncated the log: the next process reads what is left of it
        };
        let path = self.index();
        match self.disk.replace(&path, &index::bytes(&self.facts, covered)) {
            // Another process put its own into place at the same time, so no second one is needed.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            written => written.map_err(|e| Error::io("write", &path, &e))?,
        }
        self.indexed = self.offset;
        Ok(())
    }

    /// The known facts.
    #[must_use]
    pub fn known(&self) -> &Facts {
        &self.facts
    }

    /// Reads what was appended since, by this process or another; reads everything if the file was replaced.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn refresh(&mut self) -> Result<()> {
        match self.rest()? {
            Some(bytes) => self.read(&bytes),
            None => *self = Self::open(self.disk.clone(), &self.path)?,
        }
        Ok(())
    }

    /// The bytes from where reading stopped to the log's end; `None` if the log is another file than the one that was
    /// read.
    fn rest(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let mut file = match self.disk.open(&self.path, Open::Read) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Some(bytes)),
            Err(e) => return Err(Error::io("open", &self.path, &e)),
        };
        let mut read = |file: &mut Handle| {
            if let Some(seen) = &self.seen
                && seen.stamp()?.inode != file.stamp()?.inode
            {
                return Ok(false);
            }
            file.seek(SeekFrom::Start(self.offset))?;
            file.read_to_end(&mut bytes).map(|_| true)
        };
        let same = read(&mut file).map_err(|e| Error::io("read", &self.path, &e))?;
        if same {
            self.seen = Some(file);
        }
        Ok(same.then_some(bytes))
    }

    fn read(&mut self, bytes: &[u8]) {
        // An unfinished last line is left for the next time: its writer may still be writing.
        let end = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        for line in bytes[..end].split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            match std::str::from_utf8(line) {
                Ok(line) => self.facts.learn(line),
                Err(_) => self.facts.dropped += 1,
            }
        }
        self.offset += end as u64;
    }

    /// The log, open for appending.
    pub(super) fn appendable(&mut self) -> Result<&mut Handle> {
        if let Some(file) = &self.file
            && !self.has_the_name(file).map_err(|e| Error::io("append to", &self.path, &e))?
        {
            self.file = None;
        }
        match &mut self.file {
            Some(file) => Ok(file),
            none => {
                let open = self.disk.open(&self.path, Open::Append);
                Ok(none.insert(open.map_err(|e| Error::io("append to", &self.path, &e))?))
            }
        }
    }

    /// Whether the log is this file: what is written to another one is lost.
    fn has_the_name(&self, file: &Handle) -> io::Result<bool> {
        match self.disk.stamp(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            found => Ok(found?.inode == file.stamp()?.inode),
        }
    }

    /// Appends facts. The caller holds the log's lock.
    pub(super) fn append(&mut self, facts: &[Fact]) -> Result<()> {
        let path = self.path.clone();
        let error = |e: &io::Error| Error::io("append to", &path, e);
        let file = self.appendable()?;
        let mut text = String::new();
        if !ends_cleanly(file).map_err(|e| error(&e))? {
            text.push('\n'); // a torn last line must not swallow this one
        }
        for fact in facts {
            text.push_str(&fact.line());
        }
        let before = file.size().map_err(|e| error(&e))?;
        if let Err(e) = file.write_all(text.as_bytes()) {
            // A full disk may have taken half a line: remove it so that nothing is torn. If that fails, too, the
            // reader drops the half line by its checksum.
            drop(file.cut(before));
            return Err(error(&e));
        }
        self.refresh()
    }
}

fn ends_cleanly(file: &mut Handle) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
