//! Repairs what an inspection found. Nothing is deleted: what is unsound goes to quarantine, and a copy of a file
//! that loses lines is kept there. A repair that is killed is continued by the next one.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Inspection, Trouble, lines};
use crate::{
    digest::Digest,
    error::{Error, Result},
    store::{Claim, Fact, Store, free_name, log::Log},
};

/// The outcome of a repair.
#[derive(Clone, Debug, Default)]
pub struct Repaired {
    /// The new paths of what was moved or copied aside.
    pub aside: Vec<PathBuf>,
    /// The stages that no longer have a result, or their keys if the names are unknown: they are computed again when
    /// they are asked for.
    pub again: BTreeSet<String>,
}

impl Store {
    /// Repairs what was found. Without an `_alone` claim, a run could write to what is replaced.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn repair(&self, _alone: &Claim, found: &Inspection) -> Result<Repaired> {
        let mut done = Repaired::default();
        let names = self.names_by_key()?;
        self.drop_lines(found, &lines::log(self), lines::sound_facts, &mut done)?;
        self.drop_lines(found, &lines::records(self), lines::sound_records, &mut done)?;
        // Forgotten before they are moved, so that an interrupted repair leaves no dangling facts.
        self.append(&found.lost.iter().copied().map(Fact::Removed).collect::<Vec<_>>())?;
        for unsound in found.has(Trouble::Unsound) {
            done.aside.extend(self.set_aside(&unsound.path)?);
        }
        if found.has(Trouble::Snapshot).next().is_some() {
            done.aside.extend(self.set_aside(&lines::snapshot(self))?);
            self.reopen()?;
        }
        self.snapshot()?;
        self.sweep()?;

        let mut lost = found.lost.clone();
        if found.has(Trouble::Garbled).any(|garbled| garbled.path == lines::log(self)) {
            lost.extend(self.unknown_of_runs()?);
        }
        for key in lost {
            match names.get(&key) {
                Some(names) => done.again.extend(names.iter().cloned()),
                None => drop(done.again.insert(format!("key {key}"))),
            }
        }
        Ok(done)
    }

    /// Reduces the file at `path` to what `sound` keeps of it, if lines of it are garbled.
    fn drop_lines(
        &self,
        found: &Inspection,
        path: &Path,
        sound: fn(&[u8]) -> Vec<u8>,
        done: &mut Repaired,
    ) -> Result<()> {
        if !found.has(Trouble::Garbled).any(|garbled| garbled.path == path) {
            return Ok(());
        }
        let disk = self.disk();
        self.locks().appending(|| {
            let aside = self.free_name(path);
            let bytes = disk.read(path).map_err(|e| Error::io("read", path, &e))?;
            disk.write(&aside, &bytes)
                .and_then(|copy| copy.sync())
                .map_err(|e| Error::io("copy aside", path, &e))?;
            done.aside.push(aside);
            disk.replace(path, &sound(&bytes)).map_err(|e| Error::io("write", path, &e))
        })?;
        self.reopen()
    }

    /// Reads the log again, since it is another file now.
    fn reopen(&self) -> Result<()> {
        *self.facts() = Log::open(self.disk().clone(), &lines::log(self))?;
        Ok(())
    }

    /// Moves something to quarantine; returns its new path, or `None` if it was gone.
    fn set_aside(&self, path: &Path) -> Result<Option<PathBuf>> {
        let aside = self.free_name(path);
        match self.disk().rename(path, &aside) {
            Ok(()) => Ok(Some(aside)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("move aside", path, &e)),
        }
    }

    /// A name in quarantine that is still free.
    fn free_name(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default();
        free_name(self.disk(), &self.root().join("quarantine").join(name))
    }

    /// The keys that the last run under each profile ended with and for which the log no longer has a result.
    fn unknown_of_runs(&self) -> Result<BTreeSet<Digest>> {
        let (runs, _) = self.runs()?;
        let mut last = std::collections::BTreeMap::new();
        for run in &runs {
            last.insert(&run.profile, run);
        }
        let log = self.facts();
        let keys = last.values().flat_map(|run| run.stages.values()).copied();
        Ok(keys.filter(|key| log.known().done(*key).is_none()).collect())
    }
}
