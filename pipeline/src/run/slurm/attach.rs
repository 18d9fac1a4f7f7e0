//! What an earlier engine left behind: attempts that are still running, or that have ended meanwhile. Those that are
//! no longer needed are removed.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
    time::SystemTime,
};

use super::{
    flight::Out,
    folder::{Array, Folder, read},
};
use crate::{digest::Digest, error::Result, store::Store};

/// The attempts that were left, by key, and the cluster's job numbers of their arrays, by name.
pub(super) fn take_up(
    store: &Store,
    folder: &Folder,
) -> Result<(HashMap<Digest, Out>, HashMap<String, u64>)> {
    let mut left = HashMap::new();
    for name in folder.attempts() {
        let Some(key) = Folder::key(&name) else { continue };
        // Another engine is working on it, so it is neither ours nor to be removed.
        let Some(_claim) = store.locks().claim(key)? else { continue };
        let done = store.facts().known().done(key).is_some();
        let whole = folder.attempt(&name).join("job.json").is_file();
        // Of several attempts at one key, any one is enough.
        if done || !whole || left.contains_key(&key) {
            folder.forget(&name);
        } else {
            left.insert(key, Out::new(&name, "", 0));
        }
    }
    let attempts: HashSet<String> = folder.attempts().into_iter().collect();
    for name in folder.ended().iter().filter(|name| !attempts.contains(*name)) {
        folder.forget(name);
    }
    let mut ids = HashMap::new();
    let mut arrays = folder.arrays();
    // For an attempt that was submitted several times, the last submission counts.
    arrays.sort_by_key(|name| made(&folder.array(name)));
    for name in arrays {
        let dir = folder.array(&name);
        // An array without a list was never submitted.
        let array: Array = read(&dir.join("array.json")).unwrap_or_default();
        let entries =
            array.tasks.iter().enumerate().flat_map(|(task, entries)| {
                entries.iter().map(move |entry| (task, &entry.attempt))
            });
        let mut needed = false;
        for (task, attempt) in entries.filter(|(_, attempt)| attempts.contains(*attempt)) {
            needed = true;
            let out = Folder::key(attempt).and_then(|key| left.get_mut(&key));
            if let Some(out) = out.filter(|out| out.attempt == *attempt) {
                *out = Out::new(attempt, &name, task);
            }
        }
        let id = fs::read_to_string(dir.join("id")).ok();
        match id.and_then(|text| text.trim().parse().ok()) {
            Some(id) if needed => drop(ids.insert(name, id)),
            _ if needed => {}
            // Another engine may be about to submit it, so only old ones are removed.
            _ => drop(remove_old(&dir)),
        }
    }
    Ok((left, ids))
}

/// When an array was created.
fn made(dir: &Path) -> Option<SystemTime> {
    fs::metadata(dir.join("array.json")).and_then(|meta| meta.modified()).ok()
}

fn remove_old(dir: &Path) -> std::io::Result<()> {
    let age = fs::metadata(dir)?.modified()?.elapsed().unwrap_or_default();
    if age.as_secs() < 60 { Ok(()) } else { fs::remove_dir_all(dir) }
}
