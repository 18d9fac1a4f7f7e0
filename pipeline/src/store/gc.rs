//! Garbage: objects that no kept key refers to, quarantined files, leftover attempts.

use std::{
    collections::HashSet,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{Claim, Fact, Presence, Store};
use crate::{
    digest::Digest,
    disk::{Disk, Kind},
    error::{Error, Result},
};

/// What a collection removes, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Garbage {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The total of their bytes.
    pub bytes: u64,
    /// Objects kept.
    pub kept: usize,
    /// Those among the kept ones that only pinned runs reach, and their bytes.
    pub pinned: (usize, u64),
}

/// The stage keys whose objects stay.
#[derive(Debug, Default)]
pub struct Keep {
    /// Keys of the current configs.
    pub current: HashSet<Digest>,
    /// Keys of pinned runs.
    pub pinned: HashSet<Digest>,
    /// Keys that the current configs have still to compute: their checkpoints and what is on a cluster stay.
    pub ahead: HashSet<Digest>,
}

impl Store {
    /// Makes sure that no garbage is collected while the claim is held.
    ///
    /// # Errors
    /// When garbage is being collected.
    pub fn present(&self) -> Result<Claim> {
        self.locks().presence(Presence::Shared)?.ok_or_else(|| {
            Error::usage("another process is removing artifacts (`retune gc`)")
                .help("try again soon")
        })
    }

    /// Makes sure that no run is going on, before anyone decides what is garbage; holds while the claim is held.
    ///
    /// # Errors
    /// When a run is going on in this store.
    pub fn alone(&self) -> Result<Claim> {
        let claim = self.locks().presence(Presence::Exclusive)?.ok_or_else(|| {
            Error::usage("a run is using this store").help("wait for it to end, then try again")
        })?;
        self.facts().refresh()?;
        Ok(claim)
    }

    /// Finds what `keep` does not reach and, unless `dry`, removes it. Without an `_alone` claim, a run could finish
    /// in between and lose its results.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn collect_garbage(&self, _alone: &Claim, keep: &Keep, dry: bool) -> Result<Garbage> {
        let (mut needed, mut pinned) = (HashSet::new(), HashSet::new());
        let mut gone = Vec::new();
        for (key, produced) in self.facts().known().keys() {
            let objects = produced.iter().map(|artifact| artifact.digest);
            if keep.current.contains(&key) {
                needed.extend(objects);
            } else if keep.pinned.contains(&key) {
                pinned.extend(objects);
            } else {
                gone.push(key);
            }
        }
        gone.sort_unstable();
        // What cannot be listed ends the collection before anything is forgotten.
        let objects = self.root().join("objects");
        let mut kept = files(&self.disk, &objects, 2)?;
        kept.extend(files(&self.disk, &self.root().join("quarantine"), 1)?);
        let mut under_way = Vec::new();
        for dir in UNDER_WAY {
            under_way.extend(files(&self.disk, &self.root().join(dir), 1)?);
        }
        if !dry {
            // Forgotten first, so that an interrupted collection leaves unreferenced objects but no dangling facts.
            self.append(&gone.into_iter().map(Fact::Removed).collect::<Vec<_>>())?;
        }
        let size = |path: &Path| self.disk.stamp(path).map_or(0, |stamp| stamp.size);
        let mut garbage = Garbage::default();
        for path in kept {
            let digest = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok());
            let bytes = size(&path);
            let kept_for = |keys: &HashSet<Digest>| {
                path.starts_with(&objects) && digest.is_some_and(|d| keys.contains(&d))
            };
            let current = kept_for(&needed);
            if current || kept_for(&pinned) {
                garbage.kept += 1;
                if !current {
                    garbage.pinned.0 += 1;
                    garbage.pinned.1 += bytes;
                }
                continue;
            }
            garbage.bytes += bytes;
            if !dry {
                self.disk.remove(&path).map_err(|e| Error::io("remove", &path, &e))?;
            }
            garbage.files.push(path);
        }
        for path in under_way {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let key = name.split('.').next().and_then(|key| key.parse().ok());
            if key.is_some_and(|key| keep.ahead.contains(&key)) {
                continue;
            }
            for file in below(&self.disk, &path)? {
                garbage.bytes += size(&file);
                garbage.files.push(file);
            }
            if !dry {
                let removed = if self.disk.is(&path, Kind::Folder) {
                    self.disk.remove_folder(&path)
                } else {
                    self.disk.remove(&path)
                };
                removed.map_err(|e| Error::io("remove", &path, &e))?;
            }
        }
        if !dry {
            self.sweep()?;
        }
        Ok(garbage)
    }
}

/// The places where attempts at a stage leave something: folders and files named after its key, possibly with a
/// suffix after a dot.
const UNDER_WAY: [&str; 3] = ["checkpoints", "jobs/attempts", "jobs/ended"];

/// The files at or below `path`, sorted.
fn below(disk: &Disk, path: &Path) -> Result<Vec<PathBuf>> {
    if !disk.is(path, Kind::Folder) {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for path in files(disk, path, 1)? {
        found.extend(below(disk, &path)?);
    }
    Ok(found)
}

/// The files `depth` folders below `dir`, sorted; none if there is no such folder.
///
/// # Errors
/// When a folder exists but cannot be read: its content must not pass for missing.
pub(super) fn files(disk: &Disk, dir: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let entries = match disk.list(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|e| Error::io("read", dir, &e))?,
    };
    let mut found = Vec::new();
    for (path, _) in entries {
        if depth == 1 {
            found.push(path);
        } else if disk.is(&path, Kind::Folder) {
            found.extend(files(disk, &path, depth - 1)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_cannot_be_listed_does_not_pass_for_empty() {
        let (disk, dir) = (Disk::default(), tempfile::tempdir().unwrap());
        fs::create_dir_all(dir.path().join("objects/ab")).unwrap();
        fs::write(dir.path().join("objects/ab/1"), "").unwrap();
        fs::write(dir.path().join("objects/stray"), "").unwrap();
        let listed = files(&disk, &dir.path().join("objects"), 2).unwrap();
        assert_eq!(listed, [dir.path().join("objects/ab/1")]);
        assert!(files(&disk, &dir.path().join("none"), 1).unwrap().is_empty());
        // A file in place of a folder cannot be listed by anybody, including root.
        let refused = files(&disk, &dir.path().join("objects/stray"), 1).unwrap_err().to_string();
        assert!(refused.contains("cannot read") && refused.contains("stray"), "{refused}");
    }
}
