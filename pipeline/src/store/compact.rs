//! Compaction of the log: drops lines that later ones overrule, and lines that cannot be read. The new log is written
//! beside the old one and replaces it, whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use super::{Claim, Fact, Facts, Store, facts::NO_STAGE, log::Log};
use crate::{
    digest::Digest,
    disk::Open,
    error::{Error, Result},
};

/// The least size of a log that is worth compacting, in bytes; reading a smaller one takes almost no time.
pub const LEAST: u64 = 1 << 20;

/// The log's size before and after a compaction, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

impl Store {
    /// Compacts the log if it has at least `least` bytes and more than half of them no longer matter; with `dry`,
    /// only returns what that would give. The facts stay the same. Others may read the log meanwhile; without an
    /// `_alone` claim, a process of an older program could write to the old file.
    ///
    /// # Errors
    /// When the disk refuses; the log is then unchanged.
    pub fn compact(&self, _alone: &Claim, least: u64, dry: bool) -> Result<Option<Compacted>> {
        let mut log = self.facts();
        self.locks().appending(|| log.compact(least, dry))
    }
}

impl Log {
    fn compact(&mut self, least: u64, dry: bool) -> Result<Option<Compacted>> {
        self.refresh()?;
        let file = self.disk.open(&self.path, Open::Read);
        let before = match file.and_then(|file| file.size()) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            size => size.map_err(|e| Error::io("read", &self.path, &e))?,
        };
        if before < least.max(1) {
            return Ok(None);
        }
        let text = text(&self.facts);
        let after = text.len() as u64;
        // Whatever odd lines somebody may have written into it: no fact is given up for space.
        if after > before / 2 || !says(&text, &self.facts) {
            return Ok(None);
        }
        if !dry {
            let written = self.disk.replace(&self.path, text.as_bytes());
            written.map_err(|e| Error::io("write", &self.path, &e))?;
            self.refresh()?;
            self.snapshot()?;
        }
        Ok(Some(Compacted { before, after }))
    }
}

/// The fewest lines that state the same facts, in a fixed order.
fn text(facts: &Facts) -> String {
    let mut names: BTreeMap<Digest, BTreeSet<&str>> = BTreeMap::new();
    for (name, key) in &facts.names {
        names.entry(*key).or_default().insert(name);
    }
    let done: BTreeMap<_, _> = facts.done.iter().collect();
    let unavailable: BTreeMap<_, _> = facts.unavailable.iter().collect();
    let sources: BTreeMap<_, _> = facts.sources.iter().collect();
    let mut first = |key| names.get_mut(key).and_then(BTreeSet::pop_first).unwrap_or(NO_STAGE);
    let mut text = String::new();
    for (key, produced) in done {
        text.push_str(&Fact::Done(*key, first(key), produced).line());
    }
    for (key, why) in unavailable {
        text.push_str(&Fact::Unavailable(*key, first(key), why).line());
    }
    for (key, others) in &names {
        for name in others {
            text.push_str(&Fact::Bound(*key, name).line());
        }
    }
    for (path, (stamp, digest)) in sources {
        text.push_str(&Fact::Source(path, *stamp, *digest).line());
    }
    text
}

/// Whether the lines state these facts and nothing else.
fn says(text: &str, facts: &Facts) -> bool {
    let mut read = Facts { dropped: facts.dropped, ..Facts::default() };
    text.split_terminator('\n').for_each(|line| read.learn(line));
    read == *facts
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::store::{Artifact, Stamp};

    fn key(n: u8) -> Digest {
        Digest::of(&[n])
    }

    /// Facts of every kind: done, bound, unavailable and a file's content, each also in a state that was overruled.
    fn fill(store: &Store) {
        let stamp = Stamp { size: 1, mtime: 2, ctime: -3, inode: 4, boot: 0 };
        let produced = [Artifact { output: "main".into(), digest: key(100), stamp }];
        for n in 0..4 {
            store.append(&[Fact::Done(key(n), "a/b", &produced)]).unwrap();
        }
        store.append(&[Fact::Bound(key(3), "another name, 100 %")]).unwrap();
        store.append(&[Fact::Done(key(4), "gone", &produced), Fact::Removed(key(4))]).unwrap();
        for n in [5, 6] {
            store.append(&[Fact::Unavailable(key(n), "none", "no\nfile: 100 %")]).unwrap();
        }
        for n in 0..40 {
            store.append(&[Fact::Source(Path::new("data/a b"), stamp, key(n))]).unwrap();
        }
    }

    #[test]
    fn all_that_is_known_stays_known() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        fill(&store);
        let before = Store::open(dir.path()).unwrap();
        let alone = store.alone().unwrap();
        let log = store.root().join("log");
        let size = fs::metadata(&log).unwrap().len();
        assert_eq!(store.compact(&alone, size + 1, false).unwrap(), None, "it is too small");
        let dry = store.compact(&alone, size, true).unwrap().unwrap();
        assert_eq!(fs::metadata(&log).unwrap().len(), size);
        assert_eq!(store.compact(&alone, size, false).unwrap(), Some(dry));
        assert_eq!((dry.before, dry.after), (size, fs::metadata(&log).unwrap().len()));
        assert_eq!(store.compact(&alone, 0, false).unwrap(), None, "all of it counts");

        let after = Store::open(dir.path()).unwrap();
        let (before, after) = (before.facts(), after.facts());
        let facts = after.known();
        assert_eq!(facts, before.known());
        assert_eq!((facts.keys().count(), facts.names().len()), (4, 4));
        assert_eq!(facts.unavailable(key(5)), Some("no\nfile: 100 %"));
    }

    /// Whoever has read the old log, or has it open for appending, continues with the new one.
    #[test]
    fn others_notice() {
        let dir = tempfile::tempdir().unwrap();
        let (store, other) = (Store::open(dir.path()).unwrap(), Store::open(dir.path()).unwrap());
        let compact = || {
            (0..3).for_each(|_| fill(&store));
            let alone = store.alone().unwrap();
            assert!(store.compact(&alone, 0, false).unwrap().is_some());
            // Longer than it was when the other process read it, so that the read position exists in it.
            for n in 0..80 {
                store.append(&[Fact::Bound(key(n), &format!("name {n}"))]).unwrap();
            }
        };
        other.append(&[Fact::Bound(key(3), "third name")]).unwrap();
        compact();
        other.append(&[Fact::Bound(key(9), "fourth name")]).unwrap();
        let fourth = Store::open(dir.path()).unwrap().facts().known().key_of("fourth name");
        assert_eq!(fourth, Some(key(9)), "it was written to the new one");
        store.facts().refresh().unwrap();
        assert_eq!(other.facts().known(), store.facts().known());
        compact();
        other.facts().refresh().unwrap();
        assert_eq!(other.facts().known(), store.facts().known());
    }
}
