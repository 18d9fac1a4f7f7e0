//! The files of a data set, as they lie in the cache.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::LoadError;
use super::pin::Pin;

/// The files of one data set, all with pinned content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The id of the data set.
    pub id: &'static str,
    /// One file a role.
    pub by_role: BTreeMap<&'static str, Fetched>,
}

/// One file that is there and has the pinned content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Where it lies in the cache.
    pub path: PathBuf,
    /// Its hash, as pinned.
    pub pin: Pin,
}

impl Files {
    /// The path of the file with this role.
    ///
    /// # Errors
    /// If the data set has no such file.
    pub fn path(&self, role: &str) -> Result<&Path, LoadError> {
        self.by_role.get(role).map(|file| file.path.as_path()).ok_or_else(|| {
            LoadError::whole(Path::new(role), format!("data set `{}` has no such file", self.id))
        })
    }

    /// The path and the bytes of the file with this role.
    ///
    /// # Errors
    /// If the data set has no such file, or it cannot be read.
    pub fn read(&self, role: &str) -> Result<(&Path, Vec<u8>), LoadError> {
        let path = self.path(role)?;
        let bytes = fs::read(path).map_err(|error| LoadError::whole(path, error.to_string()))?;
        Ok((path, bytes))
    }
}
