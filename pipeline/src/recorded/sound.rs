//! Recorded runs one by one, so that a damaged one does not hide the others.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::Recorded;
use crate::{
    error::{Error, Exit, Result},
    store::{Health, RECORDED, Store},
};

/// A recorded run that is sound, or why it is not, with its folder.
pub type Found = (PathBuf, Result<Recorded>);

impl Recorded {
    /// What is recorded below `dir`, by experiment.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn each(dir: &Path) -> Result<Vec<Found>> {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Error::io("read", dir, &e)),
        };
        let folders = entries.filter_map(std::result::Result::ok).map(|entry| entry.path());
        let mut folders: Vec<PathBuf> =
            folders.filter(|path| path.join(RECORDED).is_file()).collect();
        folders.sort();
        let read = |dir: PathBuf| {
            let run = Self::read(&dir);
            (dir, run)
        };
        Ok(folders.into_iter().map(read).collect())
    }

    /// Everything that is recorded below `dir`, by experiment, with its folder.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn all(dir: &Path) -> Result<Vec<(PathBuf, Self)>> {
        Self::each(dir)?.into_iter().map(|(dir, run)| Ok((dir, run?))).collect()
    }

    /// Reads all tables that were kept in `dir`.
    ///
    /// # Errors
    /// When one of them is missing, or has another content than the one recorded.
    pub fn check(&self, dir: &Path) -> Result<()> {
        let store = Store::open_existing(dir)?;
        for record in store.records()?.all() {
            for (output, digest) in &record.outputs {
                let state = match store.hash_health(*digest)? {
                    Health::Sound | Health::Confirmed(_) => continue,
                    Health::Missing => "missing",
                    Health::Corrupt => "damaged",
                };
                let (path, stage) = (store.object(*digest), &record.name);
                let said =
                    format!("{}: this table, {output} of {stage}, is {state}", path.display());
                return Err(Error::new(Exit::Store, said).help(REMEDY));
            }
        }
        Ok(())
    }
}

/// What brings a recorded run back.
pub(super) const REMEDY: &str = "`git checkout` brings it back, `retune record` writes it anew";
