//! All file operations of a store go through this module. A call that was interrupted is repeated, and an operation
//! that takes several calls is composed of them here. Below it is the machine's file system, or one of a test that
//! fails on request (`tests/disk`). Independent of what is stored.

mod real;
mod stamp;

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

pub use self::stamp::Stamp;
use crate::digest::Digest;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// To read it or, if it is a folder, to look up files below it.
    Read,
    /// To read it and to write at its end; it is created if it does not exist.
    Append,
    /// To write it; it must not exist yet.
    New,
}

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Something else, such as a link that was not followed.
    Other,
}

/// A file system. A call may be interrupted, and may do less than it was asked for.
#[expect(clippy::missing_errors_doc, reason = "as the call of the system does")]
pub trait FileSystem: Send + Sync {
    /// Opens a file or, to look up files below it, a folder.
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>>;
    /// The kind and the stamp of what has this name. Links are followed.
    fn look(&self, path: &Path) -> io::Result<(Kind, Stamp)>;
    /// What is in a folder. Links are not followed.
    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Kind)>>;
    /// Creates a folder in an existing one.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Renames a file or a folder; a file that already has the new name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and its content.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes the write permission of a file.
    fn protect(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
#[expect(clippy::missing_errors_doc, reason = "as the call of the system does")]
pub trait File: Read + Write + Seek + Send + Sync {
    /// Its stamp, whatever its name.
    fn stamp(&self) -> io::Result<Stamp>;
    /// Truncates it to this many bytes.
    fn cut(&self, size: u64) -> io::Result<()>;
    /// Returns when what was written is safe from a power cut: for a folder, the names in it.
    fn sync(&self) -> io::Result<()>;
    /// The stamp of the file with this name below an open folder.
    fn stamp_below(&self, name: &[u8]) -> io::Result<Stamp>;
}

/// The file system that holds a store.
#[derive(Clone)]
pub struct Disk(Arc<dyn FileSystem>);

impl Default for Disk {
    /// The machine's.
    fn default() -> Self {
        Self::new(real::Real)
    }
}

#[expect(clippy::missing_errors_doc, reason = "as the file system fails")]
impl Disk {
    /// This file system.
    pub fn new(system: impl FileSystem + 'static) -> Self {
        Self(Arc::new(system))
    }

    /// Opens a file or, to look up files below it, a folder.
    pub fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        again(|| self.0.open(path, how)).map(Handle)
    }

    /// All bytes of a file.
    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = self.open(path, Open::Read)?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.size()?).unwrap_or_default());
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The digest of a file's content.
    pub fn digest(&self, path: &Path) -> io::Result<Digest> {
        self.open(path, Open::Read).and_then(Digest::of_reader)
    }

    /// Writes a file that must not exist yet.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<Handle> {
        let mut file = self.open(path, Open::New)?;
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Writes a small file whole or not at all: a reader sees either the old content or the new, also after a power
    /// cut. An existing entry under the name of the temporary file beside it is removed and not written through: in a
    /// store from elsewhere it may be a link to another file.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let beside = path.with_extension("tmp");
        match self.remove(&beside) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        self.write(&beside, bytes)
            .and_then(|file| file.sync())
            .and_then(|()| self.rename(&beside, path))
            .and_then(|()| path.parent().map_or(Ok(()), |folder| self.sync_names(folder)))
            .inspect_err(|_| drop(self.remove(&beside))) // a full disk needs the space
    }

    /// Returns when the names in a folder, and the removal of others, are safe from a power cut.
    pub fn sync_names(&self, folder: &Path) -> io::Result<()> {
        self.open(folder, Open::Read)?.sync()
    }

    /// The kind and the stamp of what has this name.
    pub fn look(&self, path: &Path) -> io::Result<(Kind, Stamp)> {
        again(|| self.0.look(path))
    }

    /// The stamp of what has this name.
    pub fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        self.look(path).map(|(_, stamp)| stamp)
    }

    /// Whether something of this kind is known to have this name.
    #[must_use]
    pub fn is(&self, path: &Path, kind: Kind) -> bool {
        self.look(path).is_ok_and(|(found, _)| found == kind)
    }

    /// What is in a folder, sorted.
    pub fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, Kind)>> {
        let mut found = again(|| self.0.list(folder))?;
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// Creates a folder in an existing one.
    pub fn make_folder(&self, path: &Path) -> io::Result<()> {
        again(|| self.0.make_folder(path))
    }

    /// Creates a folder and its parents where they are missing.
    pub fn make_folders(&self, path: &Path) -> io::Result<()> {
        match self.make_folder(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.make_folders(path.parent().ok_or(e)?)?;
                self.make_folders(path)
            }
            // Another thread may have created it just now.
            Err(_) if self.is(path, Kind::Folder) => Ok(()),
            made => made,
        }
    }

    /// Renames a file or a folder.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        again(|| self.0.rename(from, to))
    }

    /// Removes a file.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        again(|| self.0.remove(path))
    }

    /// Removes a folder and its content.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        again(|| self.0.remove_folder(path))
    }

    /// Removes the write permission of a file.
    pub fn protect(&self, path: &Path) -> io::Result<()> {
        again(|| self.0.protect(path))
    }
}

/// An open file. Reading to its end and writing all of a buffer take as many calls as necessary.
pub struct Handle(Box<dyn File>);

#[expect(clippy::missing_errors_doc, reason = "as the file system fails")]
impl Handle {
    /// How many bytes it has.
    pub fn size(&self) -> io::Result<u64> {
        self.stamp().map(|stamp| stamp.size)
    }

    /// Its stamp, whatever its name. As long as it is open, no other file has its inode.
    pub fn stamp(&self) -> io::Result<Stamp> {
        again(|| self.0.stamp())
    }

    /// Truncates it to this many bytes.
    pub fn cut(&self, size: u64) -> io::Result<()> {
        again(|| self.0.cut(size))
    }

    /// Returns when what was written is safe from a power cut: for a folder, the names in it.
    pub fn sync(&self) -> io::Result<()> {
        again(|| self.0.sync())
    }

    /// The stamp of the file with this name below an open folder.
    pub fn stamp_below(&self, name: &[u8]) -> io::Result<Stamp> {
        again(|| self.0.stamp_below(name))
    }
}

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(()) // nothing is buffered
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        again(|| self.0.seek(to))
    }
}

/// Repeats a call until it is not interrupted.
fn again<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_link_in_the_way_is_replaced_and_not_followed() {
        let (disk, dir) = (Disk::default(), tempfile::tempdir().unwrap());
        let (path, other) = (dir.path().join("9.json"), dir.path().join("precious"));
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, dir.path().join("9.tmp")).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        disk.replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!path.is_symlink() && !dir.path().join("9.tmp").exists());
    }

    #[test]
    fn where_it_fails_the_old_content_stays() {
        let (disk, dir) = (Disk::default(), tempfile::tempdir().unwrap());
        let path = dir.path().join("1.json");
        disk.replace(&path, b"old").unwrap();
        fs::create_dir(dir.path().join("1.tmp")).unwrap();
        assert!(disk.replace(&path, b"new").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
