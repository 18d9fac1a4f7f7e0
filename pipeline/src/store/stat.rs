//! A file's stamp: what of its metadata must agree for its content to be taken as unchanged.
//! The change time (ctime) cannot be set by a program, so writing to a file and putting its
//! modification time back is noticed.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Size, times and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Modification time, nanoseconds since the epoch.
    pub mtime: i64,
    /// Change time, nanoseconds since the epoch.
    pub ctime: i64,
    /// Inode number.
    pub inode: u64,
}

/// File times advance in steps of at most 10 ms (the kernel's tick).
const TICK: Duration = Duration::from_millis(20);

impl Stamp {
    /// Whether a later write is sure to change the stamp. A file written within the same tick of
    /// the file system's clock could change again and keep it.
    #[must_use]
    pub fn settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(self.ctime).is_ok_and(|at| Duration::from_nanos(at) + TICK < now)
    }

    /// The stamp of the file called `name` below `folder` now.
    pub(super) fn below(folder: &fs::File, name: &[u8]) -> io::Result<Self> {
        let meta = nix::sys::stat::fstatat(folder, name, nix::fcntl::AtFlags::empty())?;
        Ok(Self {
            size: u64::try_from(meta.st_size).unwrap_or_default(),
            mtime: meta.st_mtime * 1_000_000_000 + meta.st_mtime_nsec,
            ctime: meta.st_ctime * 1_000_000_000 + meta.st_ctime_nsec,
            inode: meta.st_ino,
        })
    }

    /// The stamp of the file at `path` now.
    ///
    /// # Errors
    /// When it cannot be inspected.
    pub fn of(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(path)?;
        Ok(Self {
            size: meta.size(),
            mtime: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
            ctime: meta.ctime() * 1_000_000_000 + meta.ctime_nsec(),
            inode: meta.ino(),
        })
    }
}
