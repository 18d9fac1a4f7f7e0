//! Checks what is stored beside objects and log: runs, environments, checkpoints, jobs, attempts, quarantine.

use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::{Inspection, Trouble};
use crate::{
    digest::Digest,
    disk::{Disk, Kind},
    error::{Error, Result},
    run::job::Job,
    store::{Store, gc::files, runs::RunRecord},
};

/// The entries of a store's folder.
const PARTS: [&str; 11] = [
    "objects",
    "log",
    "log.index",
    "records.jsonl",
    "environments",
    "runs",
    "tmp",
    "checkpoints",
    "jobs",
    "quarantine",
    "lock",
];

pub(super) fn look(store: &Store, found: &mut Inspection) -> Result<()> {
    let (disk, root) = (store.disk(), store.root());
    for path in files(disk, root, 1)? {
        if !PARTS.contains(&name(&path)) {
            found.add(Trouble::LeftOver, path, "is not part of a store");
        }
    }
    runs(disk, &root.join("runs"), found)?;
    environments(disk, &root.join("environments"), found)?;
    attempts(store, found)?;
    let of = |part| root.join("jobs").join(part);
    let job = |path: &Path| Ok(json::<Job>(disk, path)?.is_some());
    let any = |path: &Path| Ok(json::<IgnoredAny>(disk, path)?.is_some());
    jobs(disk, &of("attempts"), Some("job.json"), &job, found)?;
    jobs(disk, &of("arrays"), Some("array.json"), &any, found)?;
    jobs(disk, &of("ended"), None, &any, found)?;
    found.quarantine = files(disk, &root.join("quarantine"), 1)?.len();
    Ok(())
}

fn runs(disk: &Disk, folder: &Path, found: &mut Inspection) -> Result<()> {
    for path in files(disk, folder, 1)? {
        let Some(id) = name(&path).strip_suffix(".json").and_then(|id| id.parse::<u64>().ok())
        else {
            found.add(Trouble::LeftOver, path, "has no run's name");
            continue;
        };
        found.runs += 1;
        match json::<RunRecord>(disk, &path)? {
            Some(run) if run.id == id => {}
            Some(run) => {
                let what = format!("is the record of run {}", run.id);
                found.add(Trouble::Unsound, path, what);
            }
            None => found.add(
                Trouble::Unsound,
                path,
                "cannot be read; if the run was pinned, `retune gc` no longer knows what it pinned",
            ),
        }
    }
    Ok(())
}

fn environments(disk: &Disk, folder: &Path, found: &mut Inspection) -> Result<()> {
    for path in files(disk, folder, 1)? {
        let digest = name(&path).strip_suffix(".json").and_then(|name| name.parse::<Digest>().ok());
        let Some(digest) = digest else {
            found.add(Trouble::LeftOver, path, "has no environment's name");
            continue;
        };
        if content(disk, &path)?.is_none_or(|bytes| Digest::of(&bytes) != digest) {
            found.add(Trouble::Unsound, path, "its content has another digest");
        }
    }
    Ok(())
}

/// Attempts that nobody works on, and checkpoints from which nobody will continue.
fn attempts(store: &Store, found: &mut Inspection) -> Result<()> {
    let disk = store.disk();
    for path in files(disk, &store.root().join("tmp"), 1)? {
        match key(&path) {
            Some(key) if store.locks().held(key) => {}
            Some(_) => found.add(Trouble::LeftOver, path, "is of an attempt that nobody is at"),
            None => found.add(Trouble::LeftOver, path, "has no attempt's name"),
        }
    }
    for path in files(disk, &store.root().join("checkpoints"), 1)? {
        let done = |key| store.facts().known().done(key).is_some();
        match key(&path) {
            Some(key) if !done(key) => {}
            Some(_) => found.add(Trouble::LeftOver, path, "is the checkpoint of a finished stage"),
            None => found.add(Trouble::LeftOver, path, "has no checkpoint's name"),
        }
    }
    Ok(())
}

/// The messages between the engine and the jobs of a cluster are there whole or not at all.
fn jobs(
    disk: &Disk,
    folder: &Path,
    file: Option<&str>,
    read: &dyn Fn(&Path) -> Result<bool>,
    found: &mut Inspection,
) -> Result<()> {
    for path in files(disk, folder, 1)? {
        let file = file.map_or_else(|| path.clone(), |file| path.join(file));
        if disk.stamp(&file).is_err() {
            found.add(Trouble::LeftOver, path, "was never handed in");
        } else if !read(&file)? {
            found.add(Trouble::Unsound, path, "cannot be read");
        }
    }
    Ok(())
}

/// The content of the JSON file; `None` if it cannot be read or is not a file.
fn json<T: DeserializeOwned>(disk: &Disk, path: &Path) -> Result<Option<T>> {
    Ok(content(disk, path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The file's content; `None` if there is no file.
fn content(disk: &Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    if !disk.is(path, Kind::File) {
        return Ok(None);
    }
    disk.read(path).map(Some).map_err(|e| Error::io("read", path, &e))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn key(path: &Path) -> Option<Digest> {
    name(path).split('.').next()?.parse().ok()
}
