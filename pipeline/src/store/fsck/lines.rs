//! Checks the files that consist of lines: the log with its snapshot, and the records.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{Inspection, Trouble};
use crate::{
    disk::Disk,
    error::{Error, Result},
    store::{Facts, Store, index, record::Record},
};

pub(super) fn look(store: &Store, found: &mut Inspection) -> Result<()> {
    // Read before the log, which only grows while we are present: what the snapshot covers must be in it.
    let disk = store.disk();
    let index = read(disk, &snapshot(store))?;
    let bytes = read(disk, &log(store))?.unwrap_or_default();
    let mut facts = Facts::default();
    found.lines = check(&log(store), &bytes, found, |line| learn(&mut facts, line));
    if let Some(index) = index
        && !belongs(&index, &bytes)
    {
        found.add(Trouble::Snapshot, snapshot(store), "is garbled, or of another log");
    }
    let bytes = read(disk, &records(store))?.unwrap_or_default();
    found.records = check(&records(store), &bytes, found, is_record);
    Ok(())
}

pub(super) fn log(store: &Store) -> PathBuf {
    store.root().join("log")
}

pub(super) fn snapshot(store: &Store) -> PathBuf {
    store.root().join("log.index")
}

pub(super) fn records(store: &Store) -> PathBuf {
    store.root().join("records.jsonl")
}

/// The lines of the log that can be read, unchanged.
pub(super) fn sound_facts(bytes: &[u8]) -> Vec<u8> {
    let mut facts = Facts::default();
    kept(bytes, |line| learn(&mut facts, line))
}

/// The records that can be read, unchanged.
pub(super) fn sound_records(bytes: &[u8]) -> Vec<u8> {
    kept(bytes, is_record)
}

fn kept(bytes: &[u8], mut sound: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let lines = bytes.split(|&b| b == b'\n').filter(|line| !line.is_empty() && sound(line));
    lines.flat_map(|line| line.iter().chain(b"\n")).copied().collect()
}

/// Reports the lines that are not sound; returns the number of those that are.
fn check(
    path: &Path,
    bytes: &[u8],
    found: &mut Inspection,
    mut sound: impl FnMut(&[u8]) -> bool,
) -> usize {
    let mut count = 0;
    let mut lines = bytes.split(|&b| b == b'\n').enumerate().peekable();
    while let Some((i, line)) = lines.next() {
        if line.is_empty() {
            continue;
        }
        if lines.peek().is_none() {
            // Its writer was killed or is still writing; the next writer begins a line of its own.
            found.add(Trouble::LeftOver, path, format!("line {} is unfinished", i + 1));
        } else if sound(line) {
            count += 1;
        } else {
            found.add(Trouble::Garbled, path, format!("line {} cannot be read", i + 1));
        }
    }
    count
}

/// Reads one line of the log as [`crate::store::log::Log`] does.
fn learn(facts: &mut Facts, line: &[u8]) -> bool {
    let sound = std::str::from_utf8(line).is_ok_and(|line| facts.parse(line).is_some());
    facts.dropped += usize::from(!sound);
    sound
}

/// A record states a key and what it was made from: the key must follow from the parts.
fn is_record(line: &[u8]) -> bool {
    serde_json::from_slice::<Record>(line)
        .is_ok_and(|record| record.manifest.key() == Some(record.key))
}

/// Whether the snapshot is, byte for byte, that of the part of the log which it covers.
fn belongs(snapshot: &[u8], log: &[u8]) -> bool {
    let Some(covered) = index::covered(snapshot).and_then(|length| log.get(..length)) else {
        return false;
    };
    let mut facts = Facts::default();
    for line in covered.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        learn(&mut facts, line);
    }
    index::bytes(&facts, covered) == snapshot
}

fn read(disk: &Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    match disk.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("read", path, &e)),
    }
}
