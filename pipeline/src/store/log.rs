//! The append-only log of facts, one line a fact, each line closed by its own checksum:
//!
//! ```text
//! d KEY NAME OUT:DIGEST:STAMP[,…] ~SUM   the stage with this key is done
//! b KEY NAME ~SUM                        the stage of this name has this key now
//! u KEY NAME REASON ~SUM                 it cannot be computed here
//! g KEY ~SUM                             its outputs were removed as garbage
//! s DIGEST STAMP PATH ~SUM               a user's file with this stamp has this content
//! ```
//!
//! STAMP is `SIZE:MTIME:CTIME:INODE:BOOT`. The boot is 0 where the content has outlived one.
//! A torn or garbled line is dropped: what it said is computed again. Later lines win.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use foldhash::HashMap;

use super::index;
use crate::{
    digest::Digest,
    disk::{Disk, Handle, Open, Stamp},
    error::{Error, Result},
};

/// One output of a finished stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The output's name.
    pub output: Arc<str>,
    /// The digest of its content, also its address.
    pub digest: Digest,
    /// The object's stamp when it was last known to be sound.
    pub stamp: Stamp,
}

/// The outputs of one finished stage, shared by all who look at them.
pub type Produced = Arc<[Artifact]>;

/// What the log says, folded.
#[derive(Default)]
pub struct Facts {
    pub(super) done: HashMap<Digest, Produced>,
    pub(super) names: HashMap<String, Digest>,
    pub(super) unavailable: HashMap<Digest, String>,
    pub(super) sources: HashMap<PathBuf, (Stamp, Digest)>,
    pub(super) dropped: usize,
}

impl Facts {
    /// The outputs recorded under `key`.
    #[must_use]
    pub fn done(&self, key: Digest) -> Option<&Produced> {
        self.done.get(&key)
    }

    /// All finished keys.
    pub fn keys(&self) -> impl Iterator<Item = (Digest, &Produced)> {
        self.done.iter().map(|(key, produced)| (*key, produced))
    }

    /// The key the stage named `name` has now.
    #[must_use]
    pub fn key_of(&self, name: &str) -> Option<Digest> {
        self.names.get(name).copied()
    }

    /// All named stages, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<(&str, Digest)> {
        let mut names: Vec<_> = self.names.iter().map(|(n, k)| (n.as_str(), *k)).collect();
        names.sort_unstable();
        names
    }

    /// Why `key` could not be computed here when it was last tried.
    #[must_use]
    pub fn unavailable(&self, key: Digest) -> Option<&str> {
        self.unavailable.get(&key).map(String::as_str)
    }

    /// The content of a user's file, if its stamp is still the recorded one.
    #[must_use]
    pub fn source(&self, path: &Path, stamp: Stamp) -> Option<Digest> {
        self.sources.get(path).filter(|(known, _)| known.vouches(stamp)).map(|(_, digest)| *digest)
    }

    /// How many garbled lines were dropped.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    fn reserve(&mut self, lines: usize) {
        self.done.reserve(lines);
        self.names.reserve(lines);
    }

    fn learn(&mut self, line: &str) {
        if self.parse(line).is_none() {
            self.dropped += 1;
        }
    }

    pub(super) fn parse(&mut self, line: &str) -> Option<()> {
        let (body, sum) = line.rsplit_once(" ~")?;
        if sum.len() != 8 || u32::from_str_radix(sum, 16) != Ok(checksum(body)) {
            return None;
        }
        let mut words = body.split(' ');
        match words.next()? {
            "d" => {
                let key = words.next()?.parse().ok()?;
                let name = words.next()?;
                let produced = words
                    .next()?
                    .split(',')
                    .filter(|text| !text.is_empty())
                    .map(artifact)
                    .collect::<Option<Vec<_>>>()?
                    .into();
                self.done.insert(key, produced);
                self.unavailable.remove(&key);
                self.bind(name, key);
            }
            "b" => {
                let key = words.next()?.parse().ok()?;
                self.bind(words.next()?, key);
            }
            "u" => {
                let key = words.next()?.parse().ok()?;
                self.bind(words.next()?, key);
                self.unavailable.insert(key, unescape(words.next()?));
                self.done.remove(&key);
            }
            "g" => {
                let key: Digest = words.next()?.parse().ok()?;
                self.done.remove(&key);
            }
            "s" => {
                let digest = words.next()?.parse().ok()?;
                let stamp = stamp(&mut words.next()?.split(':'))?;
                self.sources.insert(unescape(words.next()?).into(), (stamp, digest));
            }
            _ => return None,
        }
        Some(())
    }

    fn bind(&mut self, name: &str, key: Digest) {
        match self.names.get_mut(name) {
            Some(bound) => *bound = key,
            None => {
                self.names.insert(unescape(name), key);
            }
        }
    }
}

fn artifact(text: &str) -> Option<Artifact> {
    let mut parts = text.split(':');
    let output = parts.next()?.into();
    let digest = parts.next()?.parse().ok()?;
    Some(Artifact { output, digest, stamp: stamp(&mut parts)? })
}

fn stamp<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Stamp> {
    Some(Stamp {
        size: words.next()?.parse().ok()?,
        mtime: words.next()?.parse().ok()?,
        ctime: words.next()?.parse().ok()?,
        inode: words.next()?.parse().ok()?,
        boot: words.next().map_or(Some(0), |boot| boot.parse().ok())?,
    })
}

fn checksum(body: &str) -> u32 {
    let [a, b, c, d, ..] = *Digest::of(body.as_bytes()).bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// Spaces, `%` and line ends as `%XX`, so that a name is one word.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '%' => out.push_str("%25"),
            '\n' => out.push_str("%0A"),
            '\r' => out.push_str("%0D"),
            c => out.push(c),
        }
    }
    out
}

fn unescape(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    text.replace("%0D", "\r").replace("%0A", "\n").replace("%20", " ").replace("%25", "%")
}

/// A fact to append.
pub enum Fact<'a> {
    /// The stage is done.
    Done(Digest, &'a str, &'a [Artifact]),
    /// The name has this key now.
    Bound(Digest, &'a str),
    /// The stage cannot be computed here, and why.
    Unavailable(Digest, &'a str, &'a str),
    /// What the stage with this key wrote was removed as garbage.
    Removed(Digest),
    /// The file's content.
    Source(&'a Path, Stamp, Digest),
}

impl Fact<'_> {
    fn line(&self) -> String {
        let stamp =
            |s: &Stamp| format!("{}:{}:{}:{}:{}", s.size, s.mtime, s.ctime, s.inode, s.boot);
        let body = match self {
            Fact::Done(key, name, produced) => {
                let outputs: Vec<_> = produced
                    .iter()
                    .map(|a| format!("{}:{}:{}", a.output, a.digest, stamp(&a.stamp)))
                    .collect();
                format!("d {key} {} {}", escape(name), outputs.join(","))
            }
            Fact::Bound(key, name) => format!("b {key} {}", escape(name)),
            Fact::Unavailable(key, name, why) => {
                format!("u {key} {} {}", escape(name), escape(why))
            }
            Fact::Removed(key) => format!("g {key}"),
            Fact::Source(path, s, digest) => {
                format!("s {digest} {} {}", stamp(s), escape(&path.to_string_lossy()))
            }
        };
        format!("{body} ~{:08x}\n", checksum(&body))
    }
}

/// How many bytes of lines are read again and again before a new snapshot is worth its writing.
const TAIL: u64 = 1 << 14;

/// The log file and what it says. Other processes append to it too: [`Log::refresh`] reads on.
pub struct Log {
    disk: Disk,
    path: PathBuf,
    file: Option<Handle>,
    /// How far the log has been read, and how far its snapshot covers it.
    offset: u64,
    indexed: u64,
    facts: Facts,
}

impl Log {
    pub(super) fn open(disk: Disk, path: &Path) -> Result<Self> {
        let mut log = Self {
            disk,
            path: path.to_owned(),
            file: None,
            offset: 0,
            indexed: 0,
            facts: Facts::default(),
        };
        let bytes = log.rest()?;
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

    /// Writes a snapshot for the next process, unless the present one will do. It carries its own digest:
    /// half a snapshot is none.
    pub(super) fn snapshot(&mut self) -> Result<()> {
        if self.offset < self.indexed + TAIL {
            return Ok(());
        }
        let bytes = self.disk.read(&self.path).map_err(|e| Error::io("read", &self.path, &e))?;
        let Some(covered) = usize::try_from(self.offset).ok().and_then(|n| bytes.get(..n)) else {
            return Ok(()); // somebody cut the log: the next process reads what is left of it
        };
        let path = self.index();
        match self.disk.replace(&path, &index::bytes(&self.facts, covered)) {
            // Another process took its own into place at the same time, and needed no second one.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            written => written.map_err(|e| Error::io("write", &path, &e))?,
        }
        self.indexed = self.offset;
        Ok(())
    }

    /// What is known.
    #[must_use]
    pub fn known(&self) -> &Facts {
        &self.facts
    }

    /// Reads what was appended since, by this process or another.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn refresh(&mut self) -> Result<()> {
        let bytes = self.rest()?;
        self.read(&bytes);
        Ok(())
    }

    /// The bytes from where reading stopped to the log's end.
    fn rest(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = match self.disk.open(&self.path, Open::Read) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(bytes),
            Err(e) => return Err(Error::io("open", &self.path, &e)),
        };
        file.seek(SeekFrom::Start(self.offset))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(|e| Error::io("read", &self.path, &e))?;
        Ok(bytes)
    }

    fn read(&mut self, bytes: &[u8]) {
        // An unfinished last line is left for the next look: its writer may still be at it.
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
        match &mut self.file {
            Some(file) => Ok(file),
            none => {
                let open = self.disk.open(&self.path, Open::Append);
                Ok(none.insert(open.map_err(|e| Error::io("append to", &self.path, &e))?))
            }
        }
    }

    /// Appends facts. The caller holds the log's lock.
    pub(super) fn append(&mut self, facts: &[Fact]) -> Result<()> {
        let path = self.path.clone();
        let error = |e: &std::io::Error| Error::io("append to", &path, e);
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
            // A full disk may have taken half a line: give it back so that nothing is torn.
            // Should that fail too, the reader drops the half line by its checksum.
            drop(file.cut(before));
            return Err(error(&e));
        }
        self.refresh()
    }
}

fn ends_cleanly(file: &mut Handle) -> std::io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
