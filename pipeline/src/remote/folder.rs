//! A shelf that is a folder, such as one on a network file system.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::Shelf;
use crate::{
    error::{Error, Exit, Result},
    machine,
};

/// A folder that several machines may use at the same time.
pub struct Folder {
    root: PathBuf,
    next: AtomicU64,
}

impl Folder {
    /// The shelf in this folder. It must exist when it is used: a network file system that is not mounted must not be
    /// taken for an empty shelf.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), next: AtomicU64::new(0) }
    }

    /// Checks that the folder exists.
    fn reach(&self) -> Result<()> {
        fs::metadata(&self.root).map(drop).map_err(|e| Error::io("reach", &self.root, &e))
    }

    fn found<T>(&self, path: &Path, found: std::io::Result<T>) -> Result<Option<T>> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(e) if e.kind() == ErrorKind::NotFound => self.reach().map(|()| None),
            Err(e) => Err(Error::io("read", path, &e)),
        }
    }
}

impl Shelf for Folder {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.root.join(name);
        // Opening a pipe would block until something writes to it.
        if self.size(name)?.is_none() {
            return Ok(None);
        }
        self.found(&path, fs::read(&path))
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let path = self.root.join(name);
        let Some(meta) = self.found(&path, fs::metadata(&path))? else { return Ok(None) };
        if !meta.is_file() {
            return Err(Error::new(Exit::Store, format!("{} is not a file", path.display())));
        }
        Ok(Some(meta.len()))
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.reach()?;
        let path = self.root.join(name);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let own = format!("new-{}-{}-{number}", machine::host(), std::process::id());
        let folder = path.parent().unwrap_or(&self.root);
        let new = folder.join(own);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&new, bytes))
            .and_then(|()| fs::rename(&new, &path))
            .map_err(|e| {
                drop(fs::remove_file(&new)); // a full disk needs the space
                Error::io("write", &path, &e)
            })
    }
}
