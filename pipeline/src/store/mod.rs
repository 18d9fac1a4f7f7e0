//! The content-addressed store. Layout (bucket `v1`; another layout gets another bucket):
//!
//! ```text
//! v1/objects/ab/<digest>.parquet   a table, named by the BLAKE3 of its bytes
//! v1/log                           what is known, one checksummed line per fact (see `facts`, `log`, `compact`)
//! v1/log.index                     the same folded, for quick starts; not needed for correctness (see `index`)
//! v1/records.jsonl                 how each result came about: manifest, host, times (see `record`)
//! v1/environments/<digest>.json    machine, program and libraries of records (see `environment`)
//! v1/runs/<id>.json                which stages a run wanted and under which keys
//! v1/tmp/<key>.<pid>.<n>/          an attempt's outputs before they are published
//! v1/jobs/                         what is out on a cluster (see `run::slurm`)
//! v1/quarantine/                   artifacts whose content was not what the log says
//! v1/lock                          byte-range locks: one byte per key (see `locks`)
//! ```
//!
//! Invariant: an object is renamed into place before the log line that speaks of it is written, so
//! a kill at any instant leaves at most an unreferenced object and an attempt folder.

mod attempt;
pub mod compact;
pub mod environment;
mod facts;
pub mod fsck;
pub mod gc;
mod index;
mod locks;
pub mod log;
mod publish;
pub mod record;
pub mod runs;
mod survey;
pub mod verify;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

pub use facts::{Artifact, Fact, Facts, Produced};
pub use locks::{Claim, Presence};
pub use survey::Survey;

pub use crate::disk::Stamp;
use crate::{
    digest::Digest,
    disk::{Disk, Kind},
    error::{Error, Exit, Result},
};

/// An open store.
pub struct Store {
    root: PathBuf,
    disk: Disk,
    facts: Mutex<log::Log>,
    locks: locks::Locks,
    ahead: survey::Ahead,
    downloads: PathBuf,
}

/// The state of an artifact compared with the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Its stamp vouches for it, or its content was hashed and agrees.
    Sound,
    /// Its content was hashed and agrees, but the recorded stamp does not vouch for it; this one will.
    Confirmed(Stamp),
    /// The file does not exist.
    Missing,
    /// The content differs.
    Corrupt,
}

impl Store {
    /// Opens the store below `dir`, creating it if there is none.
    ///
    /// # Errors
    /// When the folder cannot be created or read.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_on(Disk::default(), dir)
    }

    /// The same on any disk.
    ///
    /// # Errors
    /// When the folder cannot be created or read.
    pub fn open_on(disk: Disk, dir: &Path) -> Result<Self> {
        let root = dir.join("store").join("v1");
        let mut new = false;
        for folder in ["objects", "tmp", "runs", "quarantine"] {
            let path = root.join(folder);
            if !disk.is(&path, Kind::Folder) {
                disk.make_folders(&path).map_err(|e| Error::io("create", &path, &e))?;
                new = true;
            }
        }
        // What is flushed in a folder is lost if the folder itself is lost.
        for folder in root.ancestors().take(if new { 3 } else { 0 }) {
            disk.sync_names(folder).map_err(|e| Error::io("flush", folder, &e))?;
        }
        let locks = locks::Locks::new(root.join("lock"));
        let facts = Mutex::new(log::Log::open(disk.clone(), &root.join("log"))?);
        let (ahead, downloads) = (survey::Ahead::default(), dir.join("data"));
        Ok(Self { root, disk, facts, locks, ahead, downloads })
    }

    /// Whether anything was ever written to a store below `dir`.
    #[must_use]
    pub fn exists(dir: &Path) -> bool {
        Disk::default().is(&dir.join("store").join("v1").join("log"), Kind::File)
    }

    /// Opens a store read-only: nothing is created, and no lock is taken.
    ///
    /// # Errors
    /// When there is no store below `dir`.
    pub fn open_existing(dir: &Path) -> Result<Self> {
        if !Self::exists(dir) {
            return Err(Error::new(Exit::Store, format!("no artifacts in {}", dir.display()))
                .help("run `make reproduce` or `retune run` first"));
        }
        Self::open(dir)
    }

    /// The same store, with downloads kept in `dir`.
    #[must_use]
    pub fn downloading_to(self, dir: PathBuf) -> Self {
        Self { downloads: dir, ..self }
    }

    /// The folder of this store's bucket.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The disk that holds this store.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Where downloads are kept: beside the store, since their content is pinned elsewhere.
    #[must_use]
    pub fn downloads(&self) -> PathBuf {
        self.downloads.clone()
    }

    /// The bytes of an artifact; messages describe it as one of `stage`'s.
    ///
    /// # Errors
    /// When it is missing or has another content.
    pub fn content(&self, digest: Digest, stage: &str) -> Result<Vec<u8>> {
        let path = self.object(digest);
        let bytes = self.disk.read(&path).map_err(|e| {
            if gone(&e) { missing(&path, stage) } else { Error::io("read", &path, &e) }
        })?;
        let found = Digest::of(&bytes);
        if found != digest {
            return Err(corrupt(&self.disk, &path, stage, digest, found));
        }
        Ok(bytes)
    }

    /// Where attempts at a key keep their checkpoints until one of them is done.
    #[must_use]
    pub fn checkpoints(&self, key: Digest) -> PathBuf {
        self.root.join("checkpoints").join(key.to_string())
    }

    /// The path of an object.
    #[must_use]
    pub fn object(&self, digest: Digest) -> PathBuf {
        // Built by hand, since a plan of ten thousand stages asks for every one of them.
        let mut path = OsString::with_capacity(self.root.as_os_str().len() + 85);
        path.push(&self.root);
        digest.with_hex(|hex| {
            for part in ["/objects/", &hex[..2], "/", hex, ".parquet"] {
                path.push(part);
            }
        });
        path.into()
    }

    /// The facts in the log. Hold the lock only briefly, since appends wait for it.
    pub fn facts(&self) -> MutexGuard<'_, log::Log> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The log, if nothing in it can be read though there are results: they will be computed anew.
    #[must_use]
    pub fn unreadable_log(&self) -> Option<PathBuf> {
        let path = self.root.join("log");
        let lost = self.facts().known().is_empty()
            && self.disk.stamp(&path).is_ok_and(|stamp| stamp.size > 0)
            && gc::files(&self.disk, &self.root.join("objects"), 2)
                .is_ok_and(|all| !all.is_empty());
        lost.then_some(path)
    }

    /// Claims, and the shared and exclusive presence of processes on this store.
    #[must_use]
    pub fn locks(&self) -> &locks::Locks {
        &self.locks
    }

    /// Checks one artifact: a matching stamp is enough, otherwise its content is hashed.
    ///
    /// # Errors
    /// When the file exists but cannot be read.
    pub fn health(&self, artifact: &Artifact) -> Result<Health> {
        let path = self.object(artifact.digest);
        match self.disk.stamp(&path) {
            Err(e) if gone(&e) => Ok(Health::Missing),
            Err(e) if misplaced(&e) => Ok(Health::Corrupt),
            Err(e) => Err(Error::io("inspect", &path, &e)),
            Ok(stamp) if artifact.stamp.vouches(stamp) => Ok(Health::Sound),
            Ok(stamp) if stamp.size != artifact.stamp.size => Ok(Health::Corrupt),
            Ok(stamp) => Ok(match self.hash_health(artifact.digest)? {
                Health::Sound => Health::Confirmed(stamp.confirmed(artifact.stamp)),
                other => other,
            }),
        }
    }

    /// Checks one artifact's content, whatever its stamp.
    ///
    /// # Errors
    /// When the file exists but cannot be read.
    pub fn hash_health(&self, digest: Digest) -> Result<Health> {
        let path = self.object(digest);
        match self.disk.digest(&path) {
            Ok(found) if found == digest => Ok(Health::Sound),
            Ok(_) => Ok(Health::Corrupt),
            Err(e) if gone(&e) => Ok(Health::Missing),
            Err(e) if misplaced(&e) => Ok(Health::Corrupt),
            Err(e) => Err(Error::io("read", &path, &e)),
        }
    }
}

/// Whether an error means that an object does not exist; that includes an object whose folder is a file.
fn gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether an error means that an object's name belongs to something else: a folder, a pipe, or a link to itself.
fn misplaced(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput)
        || error.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32)
}

/// The path to which a corrupt object is moved.
fn aside(object: &Path) -> PathBuf {
    let root = object.ancestors().nth(3).unwrap_or(object);
    root.join("quarantine").join(object.file_name().unwrap_or_default())
}

/// Moves a corrupt object aside, so that it is never used but can be examined. The caller has just found it corrupt:
/// another stage with the same content may replace it with a sound one at any time.
///
/// # Errors
/// When it cannot be moved.
pub fn quarantine(disk: &Disk, object: &Path) -> Result<()> {
    match set_aside(disk, object, &aside(object)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::io("move aside", object, &e)),
        _ => Ok(()),
    }
}

/// Moves something to a place in quarantine. What was moved there before is replaced; where that is not possible, since
/// a file replaces only a file and a folder only an empty folder, it gets another name.
fn set_aside(disk: &Disk, what: &Path, place: &Path) -> io::Result<()> {
    match disk.rename(what, place) {
        Err(e) if differs_in_kind(&e) && disk.look(place).is_ok() => {
            disk.rename(place, &free_name(disk, place))?;
            disk.rename(what, place)
        }
        done => done,
    }
}

/// Whether an error means that something cannot be replaced by something of another kind.
fn differs_in_kind(error: &io::Error) -> bool {
    use io::ErrorKind::{DirectoryNotEmpty, IsADirectory, NotADirectory};
    matches!(error.kind(), IsADirectory | NotADirectory | DirectoryNotEmpty)
}

/// This path, or the first of those with a number after it, that nothing has yet.
fn free_name(disk: &Disk, wanted: &Path) -> PathBuf {
    let numbered = |n: usize| {
        let mut path = wanted.as_os_str().to_owned();
        path.push(format!(".{n}"));
        PathBuf::from(path)
    };
    let mut paths = std::iter::once(wanted.to_owned()).chain((1..).map(numbered));
    paths.find(|path| disk.look(path).is_err()).unwrap_or_else(|| wanted.to_owned())
}

/// Whether there is no object at this path.
pub(crate) fn is_missing(disk: &Disk, path: &Path) -> bool {
    disk.stamp(path).is_err_and(|e| gone(&e))
}

/// The file that makes a folder with a store a recorded run.
pub(crate) const RECORDED: &str = "recorded.json";

/// The folder of the recorded run that an object belongs to, if it belongs to one: its files come with the sources.
fn recorded(object: &Path) -> Option<&Path> {
    let dir = object.ancestors().nth(5)?;
    dir.join(RECORDED).is_file().then_some(dir)
}

/// What brings a damaged or missing object of `stage` back.
fn remedy(object: &Path, stage: &str) -> String {
    match recorded(object) {
        Some(dir) => format!("`git checkout -- {}` brings it back", dir.display()),
        None => format!("`retune run {stage}` computes it again"),
    }
}

/// The error for an artifact that is not there.
pub(crate) fn missing(path: &Path, stage: &str) -> Error {
    let message = format!("artifact {} of stage {stage} is missing", path.display());
    Error::new(Exit::Store, message).help(remedy(path, stage))
}

/// The error for an artifact whose content is not what it should be. Its stamp may look right, so it is moved aside
/// at once; the next plan then finds it missing. Nothing is moved in a recorded run, which comes with the sources.
pub(crate) fn corrupt(
    disk: &Disk,
    path: &Path,
    stage: &str,
    wanted: Digest,
    found: Digest,
) -> Error {
    let error = Error::new(
        Exit::Store,
        format!(
            "artifact {} of stage {stage} is corrupt: content {}, recorded {}",
            path.display(),
            found.short(),
            wanted.short()
        ),
    );
    if recorded(path).is_some() {
        return error.help(remedy(path, stage));
    }
    match quarantine(disk, path) {
        Ok(()) => error.help(format!("it was moved to quarantine; {}", remedy(path, stage))),
        Err(e) => error.help(format!("remove it by hand ({e}) and run again")),
    }
}
