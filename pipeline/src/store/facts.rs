//! What a store knows, and how each fact is written: one line per fact, terminated by its own checksum.
//!
//! ```text
//! d KEY NAME OUT:DIGEST:STAMP[,…] ~SUM   the stage with this key is done
//! b KEY NAME ~SUM                        the stage of this name has this key now
//! u KEY NAME REASON ~SUM                 it cannot be computed here
//! g KEY ~SUM                             its outputs were removed as garbage
//! s DIGEST STAMP PATH ~SUM               a user's file with this stamp has this content
//! ```
//!
//! A NAME of `*` binds no name: no stage has this key now. STAMP is `SIZE:MTIME:CTIME:INODE:BOOT`. The boot is 0 if
//! the content has survived one. A torn or garbled line is dropped, and what it recorded is computed again. Later
//! lines win.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
};

use foldhash::HashMap;

use crate::{digest::Digest, disk::Stamp};

/// Stands for a stage's name if the key no longer belongs to any stage. No stage can have this name.
pub(super) const NO_STAGE: &str = "*";

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

/// The outputs of one finished stage, shared by all who use them.
pub type Produced = Arc<[Artifact]>;

/// The content of the log, folded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub(super) done: HashMap<Digest, Produced>,
    pub(super) names: HashMap<String, Digest>,
    pub(super) unavailable: HashMap<Digest, String>,
    pub(super) sources: HashMap<PathBuf, (Stamp, Digest)>,
    pub(super) dropped: usize,
}

impl Facts {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { done, names, unavailable, sources, dropped: _ } = self;
        done.is_empty() && names.is_empty() && unavailable.is_empty() && sources.is_empty()
    }

    /// The outputs recorded under `key`.
    #[must_use]
    pub fn done(&self, key: Digest) -> Option<&Produced> {
        self.done.get(&key)
    }

    /// All finished keys.
    pub fn keys(&self) -> impl Iterator<Item = (Digest, &Produced)> {
        self.done.iter().map(|(key, produced)| (*key, produced))
    }

    /// The key that the stage named `name` has now.
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

    /// The content digest of a user's file, if its stamp is still the recorded one.
    #[must_use]
    pub fn source(&self, path: &Path, stamp: Stamp) -> Option<Digest> {
        self.sources.get(path).filter(|(known, _)| known.vouches(stamp)).map(|(_, digest)| *digest)
    }

    /// How many garbled lines were dropped.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    pub(super) fn reserve(&mut self, lines: usize) {
        self.done.reserve(lines);
        self.names.reserve(lines);
    }

    pub(super) fn learn(&mut self, line: &str) {
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
                self.unavailable.insert(key, unescape(words.next()?).into_owned());
                self.done.remove(&key);
            }
            "g" => {
                let key: Digest = words.next()?.parse().ok()?;
                self.done.remove(&key);
            }
            "s" => {
                let digest = words.next()?.parse().ok()?;
                let stamp = stamp(&mut words.next()?.split(':'))?;
                self.sources.insert(unescape(words.next()?).into_owned().into(), (stamp, digest));
            }
            _ => return None,
        }
        Some(())
    }

    fn bind(&mut self, name: &str, key: Digest) {
        if name == NO_STAGE {
            return;
        }
        let name = unescape(name);
        match self.names.get_mut(&*name) {
            Some(bound) => *bound = key,
            None => {
                self.names.insert(name.into_owned(), key);
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

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    text.replace("%0D", "\r").replace("%0A", "\n").replace("%20", " ").replace("%25", "%").into()
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
    pub(super) fn line(&self) -> String {
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
