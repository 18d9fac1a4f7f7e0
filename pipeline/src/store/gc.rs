//! Garbage: objects no kept key refers to, quarantined files, left-over attempts.

use std::{collections::HashSet, fs, path::PathBuf};

use super::{Claim, Fact, Presence, Store};
use crate::{
    digest::Digest,
    error::{Error, Result},
};

/// What a collection removes, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Garbage {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Their bytes.
    pub bytes: u64,
    /// Objects kept.
    pub kept: usize,
    /// Of these, the ones that only pinned runs reach, and their bytes.
    pub pinned: (usize, u64),
}

/// The stage keys whose objects stay.
#[derive(Debug, Default)]
pub struct Keep {
    /// Of current configs.
    pub current: HashSet<Digest>,
    /// Of pinned runs.
    pub pinned: HashSet<Digest>,
    /// Of what current configs have still to compute: checkpoints and what is out on a cluster stay.
    pub ahead: HashSet<Digest>,
}

impl Store {
    /// Makes sure that no garbage is collected as long as the claim is held.
    ///
    /// # Errors
    /// When garbage is being collected.
    pub fn present(&self) -> Result<Claim> {
        self.locks().presence(Presence::Shared)?.ok_or_else(|| {
            Error::usage("another process is removing artifacts (`retune gc`)")
                .help("try again soon")
        })
    }

    /// Makes sure that no run is going on, before anyone decides what is garbage; holds as long
    /// as the claim.
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

    /// Finds what `keep` does not reach and, unless `dry`, removes it. Without an
    /// `_alone` claim a run could finish in between and lose its results.
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
        if !dry {
            // Forgotten first: an interrupted collection leaves unreferenced objects, no dangling facts.
            self.append(&gone.into_iter().map(Fact::Removed).collect::<Vec<_>>())?;
        }
        let mut garbage = Garbage::default();
        let objects = self.root().join("objects");
        for path in files(&objects, 2).into_iter().chain(files(&self.root().join("quarantine"), 1))
        {
            let digest = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok());
            let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
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
                fs::remove_file(&path).map_err(|e| Error::io("remove", &path, &e))?;
            }
            garbage.files.push(path);
        }
        for path in UNDER_WAY.iter().flat_map(|dir| files(&self.root().join(dir), 1)) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let key = name.split('.').next().and_then(|key| key.parse().ok());
            if key.is_some_and(|key| keep.ahead.contains(&key)) {
                continue;
            }
            for file in below(&path) {
                garbage.bytes += fs::metadata(&file).map_or(0, |meta| meta.len());
                garbage.files.push(file);
            }
            if !dry {
                let removed =
                    if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|e| Error::io("remove", &path, &e))?;
            }
        }
        if !dry {
            self.sweep()?;
        }
        Ok(garbage)
    }
}

/// Where lies what attempts at a stage left: folders and files named after its key, with something
/// after a dot perhaps.
const UNDER_WAY: [&str; 3] = ["checkpoints", "jobs/attempts", "jobs/ended"];

/// The files at or below `path`, sorted.
fn below(path: &std::path::Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    files(path, 1).iter().flat_map(|path| below(path)).collect()
}

/// The files `depth` folders below `dir`, sorted.
pub(super) fn files(dir: &std::path::Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if depth > 1 {
            found.extend(files(&path, depth - 1));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
