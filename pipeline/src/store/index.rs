//! A snapshot of the facts in the log, beside it, so that a plan need not parse every line: facts in binary form, and
//! the digest of the bytes of the log that they were folded from. A snapshot that is missing, garbled, of another
//! version or of another log is ignored. Invariant: the log alone is authoritative. Independent of what the facts are
//! used for.
//!
//! ```text
//! MAGIC · length of the log covered (u64) · digest of those bytes · digest of the body · body
//! body: output names · done · names · unavailable · sources · dropped lines
//! ```
//!
//! Numbers are little-endian; every list and text is preceded by its length (u32).

use std::{collections::BTreeSet, path::Path, sync::Arc};

use foldhash::HashMap;

use super::{Artifact, Facts, Stamp};
use crate::{digest::Digest, disk::Disk};

const MAGIC: &[u8; 16] = b"retune-index-v2\n";
const HEAD: usize = MAGIC.len() + 8 + 32 + 32;

/// The facts at `path` if they are those of the first bytes of `log`, and the number of these bytes.
pub(super) fn read(disk: &Disk, path: &Path, log: &[u8]) -> Option<(Facts, usize)> {
    let bytes = disk.read(path).ok()?;
    let (head, body) = bytes.split_at_checked(HEAD)?;
    let length = covered(&bytes)?;
    let covered = log.get(..length)?;
    let mut head = Reader(head);
    head.take(MAGIC.len() + 8)?;
    if head.digest()? != Digest::of(covered) || head.digest()? != Digest::of(body) {
        return None;
    }
    Some((facts(&mut Reader(body))?, length))
}

/// How many bytes of a log this snapshot says it covers.
pub(super) fn covered(snapshot: &[u8]) -> Option<usize> {
    let mut head = Reader(snapshot.get(..HEAD)?);
    (head.take(MAGIC.len())? == MAGIC).then(|| head.u64())??.try_into().ok()
}

/// The snapshot of `facts`, which were folded from `log`. The same facts give the same bytes.
pub(super) fn bytes(facts: &Facts, log: &[u8]) -> Vec<u8> {
    let body = body(facts);
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(log.len() as u64).to_le_bytes());
    bytes.extend_from_slice(Digest::of(log).bytes());
    bytes.extend_from_slice(Digest::of(&body).bytes());
    bytes.extend_from_slice(&body);
    bytes
}

fn facts(from: &mut Reader) -> Option<Facts> {
    // A count is trusted only as far as there are bytes for it: an entry takes at least 36, for a digest and a
    // length.
    let mut facts = Facts::default();
    let outputs: Vec<Arc<str>> =
        (0..from.count()?).map(|_| from.text().map(Arc::from)).collect::<Option<_>>()?;
    let done = from.count()?;
    facts.done.reserve(done.min(from.0.len() / 36));
    let mut produced = Vec::new();
    for _ in 0..done {
        let key = from.digest()?;
        let count = from.count()?;
        for _ in 0..count {
            let output = Arc::clone(outputs.get(from.count()?)?);
            produced.push(Artifact { output, digest: from.digest()?, stamp: from.stamp()? });
        }
        facts.done.insert(key, produced.drain(..).collect());
    }
    let names = from.count()?;
    facts.names.reserve(names.min(from.0.len() / 36));
    for _ in 0..names {
        facts.names.insert(from.text()?.to_owned(), from.digest()?);
    }
    for _ in 0..from.count()? {
        facts.unavailable.insert(from.digest()?, from.text()?.to_owned());
    }
    for _ in 0..from.count()? {
        facts.sources.insert(from.text()?.into(), (from.stamp()?, from.digest()?));
    }
    facts.dropped = usize::try_from(from.u64()?).ok()?;
    from.0.is_empty().then_some(facts)
}

fn body(facts: &Facts) -> Vec<u8> {
    let mut to = Writer(Vec::with_capacity(facts.done.len() * 256));
    let outputs: BTreeSet<&str> =
        facts.done.values().flat_map(|produced| produced.iter()).map(|a| &*a.output).collect();
    let outputs: Vec<&str> = outputs.into_iter().collect();
    to.count(outputs.len());
    for name in &outputs {
        to.text(name);
    }
    to.count(facts.done.len());
    for (key, produced) in sorted(&facts.done) {
        to.digest(*key);
        to.count(produced.len());
        for Artifact { output, digest, stamp } in produced.iter() {
            to.count(outputs.partition_point(|name| *name < &**output));
            to.digest(*digest);
            to.stamp(stamp);
        }
    }
    to.count(facts.names.len());
    for (name, key) in sorted(&facts.names) {
        to.text(name);
        to.digest(*key);
    }
    to.count(facts.unavailable.len());
    for (key, why) in sorted(&facts.unavailable) {
        to.digest(*key);
        to.text(why);
    }
    to.count(facts.sources.len());
    for (path, (stamp, digest)) in sorted(&facts.sources) {
        to.text(&path.to_string_lossy()); // as in the log
        to.stamp(stamp);
        to.digest(*digest);
    }
    to.u64(facts.dropped as u64);
    to.0
}

fn sorted<K: Ord, V>(map: &HashMap<K, V>) -> Vec<(&K, &V)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(b.0));
    entries
}

/// Bytes that have not been read yet. Every read past the end is `None`.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    fn count(&mut self) -> Option<usize> {
        self.array().map(u32::from_le_bytes)?.try_into().ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest::from_bytes)
    }

    fn stamp(&mut self) -> Option<Stamp> {
        let (size, mtime, ctime) = (self.u64()?, self.i64()?, self.i64()?);
        let (inode, boot) = (self.u64()?, self.array().map(u32::from_le_bytes)?);
        Some(Stamp { size, mtime, ctime, inode, boot })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn u64(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    /// A number that does not fit makes the snapshot unreadable, which is allowed.
    fn count(&mut self, n: usize) {
        self.0.extend_from_slice(&u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn digest(&mut self, digest: Digest) {
        self.0.extend_from_slice(digest.bytes());
    }

    fn stamp(&mut self, stamp: &Stamp) {
        self.u64(stamp.size);
        self.0.extend_from_slice(&stamp.mtime.to_le_bytes());
        self.0.extend_from_slice(&stamp.ctime.to_le_bytes());
        self.u64(stamp.inode);
        self.0.extend_from_slice(&stamp.boot.to_le_bytes());
    }
}
