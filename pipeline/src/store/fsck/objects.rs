//! Checks the objects: each is what its name says, and each that the log names exists.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{Inspection, Trouble};
use crate::{
    digest::Digest,
    disk::Kind,
    error::Result,
    store::{Artifact, Health, Produced, Store, gc::files, verify::Depth},
};

pub(super) fn look(store: &Store, depth: Depth, found: &mut Inspection) -> Result<()> {
    // The log first, since an object is put in place before the log refers to it.
    let done: BTreeMap<Digest, Produced> = {
        let log = store.facts();
        log.known().keys().map(|(key, produced)| (key, produced.clone())).collect()
    };
    let artifacts = done.values().flat_map(|produced| produced.iter());
    let named: HashMap<Digest, &Artifact> =
        artifacts.map(|artifact| (artifact.digest, artifact)).collect();
    let objects = listed(store, found)?;
    let healths: Vec<Health> = objects
        .par_iter()
        .map(|(digest, _)| match named.get(digest) {
            _ if depth.hashes(*digest) => store.hash_health(*digest),
            Some(artifact) => store.health(artifact),
            None => Ok(Health::Sound),
        })
        .collect::<Result<_>>()?;
    let mut sound = HashSet::new();
    for ((digest, path), health) in objects.iter().zip(healths) {
        match health {
            Health::Sound | Health::Confirmed(_) => drop(sound.insert(*digest)),
            Health::Corrupt => found.add(Trouble::Unsound, path, "its content has another digest"),
            Health::Missing => {} // removed just now
        }
    }
    let hashed = objects.iter().filter(|(digest, _)| depth.hashes(*digest)).count();
    let unnamed = objects.iter().filter(|(digest, _)| !named.contains_key(digest)).count();
    found.objects = (objects.len(), hashed, unnamed);

    let names = store.names_by_key()?;
    for (key, produced) in done {
        let lost = produced.iter().filter(|artifact| !sound.contains(&artifact.digest));
        for artifact in lost {
            let stage = names.get(&key).and_then(|names| names.first());
            let stage = stage.map_or_else(|| key.short(), Clone::clone);
            let what = format!("output {} of {stage} is not there", artifact.output);
            found.add(Trouble::Lost, store.object(artifact.digest), what);
            found.lost.insert(key);
        }
    }
    Ok(())
}

/// The objects by their names, sorted. Entries that are not objects are reported.
fn listed(store: &Store, found: &mut Inspection) -> Result<Vec<(Digest, PathBuf)>> {
    let (disk, mut objects) = (store.disk(), Vec::new());
    for folder in files(disk, &store.root().join("objects"), 1)? {
        if !is_shelf(&folder) {
            found.add(Trouble::LeftOver, folder, "is not a folder of objects");
        } else if !disk.is(&folder, Kind::Folder) {
            found.add(Trouble::Unsound, folder, "stands in the place of a folder of objects");
        } else {
            for path in files(disk, &folder, 1)? {
                match digest(&path).filter(|digest| store.object(*digest) == path) {
                    Some(digest) => objects.push((digest, path)),
                    None => found.add(Trouble::LeftOver, path, "has no object's name"),
                }
            }
        }
    }
    Ok(objects)
}

fn is_shelf(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 2 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn digest(path: &Path) -> Option<Digest> {
    path.file_name()?.to_str()?.strip_suffix(".parquet")?.parse().ok()
}
