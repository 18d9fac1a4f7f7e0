//! The files through which the engine and the jobs of a cluster communicate, below `v1/jobs` of the store:
//!
//! ```text
//! attempts/KEY.N/job.json     what is to be done
//! attempts/KEY.N/started      a job has begun with it
//! attempts/KEY.N/try-…/       where one job works: a job may run twice after a node has failed
//! ended/KEY.N.json            how it ended, and in which of these folders: linked into place whole
//! arrays/NAME/array.json      which attempts the tasks of an array carry out, one after another
//! arrays/NAME/id              the cluster's number of the array
//! arrays/NAME/out-N           what task N printed
//! ```
//!
//! These folders are authoritative; what the cluster reports about its jobs only tells when to stop waiting.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    digest::Digest,
    error::{Error, Result},
    regular,
    run::job::Ending,
    store::Store,
};

/// The folders of one store.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

/// An array of jobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Array {
    pub(super) tasks: Vec<Vec<Entry>>,
}

/// One attempt of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) attempt: String,
    /// The program, if the attempt is to have a process of its own.
    pub(super) program: Option<PathBuf>,
    pub(super) gpus: usize,
    pub(super) timeout_s: Option<u64>,
}

/// How an attempt ended, and where its outputs lie.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) ending: Ending,
    pub(super) dir: PathBuf,
}

impl Folder {
    pub(super) fn of(store: &Store) -> Result<Self> {
        let root = store.root().join("jobs");
        let root = std::path::absolute(&root).map_err(|e| Error::io("find", &root, &e))?;
        for part in ["attempts", "ended", "arrays"] {
            let path = root.join(part);
            fs::create_dir_all(&path).map_err(|e| Error::io("create", &path, &e))?;
        }
        Ok(Self(root))
    }

    /// The folder that contains an array's own folder.
    pub(super) fn around(array: &Path) -> Self {
        Self(array.ancestors().nth(2).unwrap_or(array).to_owned())
    }

    pub(super) fn attempt(&self, name: &str) -> PathBuf {
        self.0.join("attempts").join(name)
    }

    pub(super) fn array(&self, name: &str) -> PathBuf {
        self.0.join("arrays").join(name)
    }

    pub(super) fn outcome(&self, attempt: &str) -> PathBuf {
        self.0.join("ended").join(format!("{attempt}.json"))
    }

    /// Creates the folder of a new attempt. The caller holds the claim on the key, so nobody takes the same name.
    pub(super) fn new_attempt(&self, key: Digest) -> Result<String> {
        let mut n = 0;
        loop {
            let name = format!("{key}.{n}");
            let path = self.attempt(&name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(name),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => n += 1,
                Err(e) => return Err(Error::io("create", &path, &e)),
            }
        }
    }

    /// Attempts that ended and whose outcome nobody has collected yet.
    pub(super) fn ended(&self) -> Vec<String> {
        let names = names(&self.0.join("ended")).into_iter();
        let names = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned));
        names.filter(|name| Self::key(name).is_some()).collect()
    }

    pub(super) fn attempts(&self) -> Vec<String> {
        let names = names(&self.0.join("attempts")).into_iter();
        names.filter(|name| Self::key(name).is_some()).collect()
    }

    pub(super) fn arrays(&self) -> Vec<String> {
        names(&self.0.join("arrays"))
    }

    /// The key of an attempt, from its name; `None` for a name that no attempt has, such as one that leads elsewhere.
    pub(super) fn key(attempt: &str) -> Option<Digest> {
        let (key, n) = attempt.split_once('.')?;
        n.parse::<u64>().ok().and(key.parse().ok())
    }

    /// How an attempt ended. Its outputs are in a folder of its own, whatever the file says.
    pub(super) fn take(&self, attempt: &str) -> Result<Outcome> {
        let outcome: Outcome = read(&self.outcome(attempt))?;
        let own = outcome.dir.file_name().unwrap_or_default();
        Ok(Outcome { dir: self.attempt(attempt).join(own), ..outcome })
    }

    /// Removes an attempt with everything that it left.
    pub(super) fn forget(&self, attempt: &str) {
        // What remains costs disk space; the next run tries again to remove it.
        drop(fs::remove_dir_all(self.attempt(attempt)));
        drop(fs::remove_file(self.outcome(attempt)));
    }
}

/// The names in a folder, sorted; empty if it cannot be read.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Reads a JSON file.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = regular::read(path).map_err(|e| Error::io("read", path, &e))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| Error::usage(format!("cannot read {}: {e}", path.display())).because(e))
}

/// Writes a JSON file that appears whole or not at all; an existing file stays. `own` is a path beside which nobody
/// else writes.
pub(super) fn publish<T: Serialize>(path: &Path, own: &Path, value: &T) -> Result<()> {
    let text = serde_json::to_vec(value)
        .map_err(|e| Error::usage(format!("cannot write {}: {e}", path.display())).because(e))?;
    let linked = fs::write(own, text).and_then(|()| fs::hard_link(own, path));
    match linked {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(()),
        // On a file system without links the last one wins, and either would do.
        Err(e) if e.kind() != ErrorKind::NotFound => {
            fs::rename(own, path).map_err(|_| Error::io("link", path, &e))
        }
        linked => linked.map_err(|e| Error::io("link", path, &e)),
    }
}
