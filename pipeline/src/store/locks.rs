//! Who works on what. One file, one byte per key: an open-file-description lock on the byte at a key's offset is the
//! claim on that key. The kernel drops the locks of a dead process, so there is no stale lock and no recovery step.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use nix::{
    errno::Errno,
    fcntl::{FcntlArg, fcntl},
    libc,
};

use crate::{
    digest::Digest,
    error::{Error, Result},
};

/// Offsets of the locks that do not belong to a key.
const LOG: i64 = i64::MAX - 1;
const PRESENCE: i64 = i64::MAX - 2;

/// The lock file of a store.
pub struct Locks {
    path: PathBuf,
    /// The log's own lock and nothing else, so that claims never interfere with appends. Opened by the first append,
    /// so that reading alone needs no write permission. The mutex keeps the threads of this process apart, which
    /// share one file and so one lock.
    log: Mutex<Option<File>>,
}

/// A claim on one key; dropping it releases the claim.
pub struct Claim {
    _file: File,
}

/// How a process is present on the store: many may compute at the same time, but only one may collect garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Computing or reading.
    Shared,
    /// Removing objects.
    Exclusive,
}

impl Locks {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, log: Mutex::new(None) }
    }

    /// Claims `key`; `None` when another process is computing it.
    ///
    /// # Errors
    /// When the lock file cannot be used.
    pub fn claim(&self, key: Digest) -> Result<Option<Claim>> {
        let file = file(&self.path)?;
        let taken = self.set(&file, offset(key), Presence::Exclusive, false)?;
        Ok(taken.then_some(Claim { _file: file }))
    }

    /// Whether somebody is computing `key`. Needs no write permission.
    #[must_use]
    pub fn held(&self, key: Digest) -> bool {
        let mut region = region(offset(key), libc::F_WRLCK);
        let looked = File::open(&self.path)
            .is_ok_and(|file| fcntl(file, FcntlArg::F_OFD_GETLK(&mut region)).is_ok());
        looked && i32::from(region.l_type) != libc::F_UNLCK
    }

    /// Registers this process on the store; `None` when the other kind of presence excludes it.
    ///
    /// # Errors
    /// When the lock file cannot be used.
    pub fn presence(&self, presence: Presence) -> Result<Option<Claim>> {
        let file = file(&self.path)?;
        let taken = self.set(&file, PRESENCE, presence, false)?;
        Ok(taken.then_some(Claim { _file: file }))
    }

    /// Runs `write` while no other process or thread appends to the log or the records.
    pub(super) fn appending<T>(&self, write: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let log: &File = match &mut *log {
            Some(log) => log,
            none => none.insert(file(&self.path)?),
        };
        self.set(log, LOG, Presence::Exclusive, true)?;
        let result = write();
        let unlock = region(LOG, libc::F_UNLCK);
        fcntl(log, FcntlArg::F_OFD_SETLK(&unlock)).map_err(|e| self.error(e))?;
        result
    }

    fn set(&self, file: &File, at: i64, presence: Presence, wait: bool) -> Result<bool> {
        let kind = match presence {
            Presence::Shared => libc::F_RDLCK,
            Presence::Exclusive => libc::F_WRLCK,
        };
        let region = region(at, kind);
        loop {
            let arg =
                if wait { FcntlArg::F_OFD_SETLKW(&region) } else { FcntlArg::F_OFD_SETLK(&region) };
            match fcntl(file, arg) {
                Ok(_) => return Ok(true),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN | Errno::EACCES) => return Ok(false),
                Err(e) => return Err(self.error(e)),
            }
        }
    }

    fn error(&self, errno: Errno) -> Error {
        Error::io("lock", &self.path, &io::Error::from(errno))
    }
}

fn file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|e| Error::io("open", path, &e))
}

/// 61 bits of the key: two of a million keys share an offset with probability 2e-7, and then one merely waits for the
/// other.
fn offset(key: Digest) -> i64 {
    let mut head = [0; 8];
    head.copy_from_slice(&key.bytes()[..8]);
    i64::from_le_bytes(head).wrapping_shr(2) & (i64::MAX >> 2)
}

fn region(at: i64, kind: i32) -> libc::flock {
    libc::flock {
        l_type: i16::try_from(kind).unwrap_or_default(),
        l_whence: i16::try_from(libc::SEEK_SET).unwrap_or_default(),
        l_start: at,
        l_len: 1,
        l_pid: 0,
    }
}
