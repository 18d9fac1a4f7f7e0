//! Attempt folders: where a stage writes before its result is published.

use std::{path::PathBuf, process};

use super::{Produced, Store, corrupt};
use crate::{
    digest::Digest,
    disk::Disk,
    error::{Error, Result},
    run::job::{Ending, Job},
    stage::Stop,
};

impl Store {
    /// A new folder for attempt number `n` of this process at `key`.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn attempt(&self, key: Digest, n: usize) -> Result<PathBuf> {
        let dir = self.root().join("tmp").join(format!("{key}.{}.{n}", process::id()));
        match self.disk.make_folder(&dir) {
            Ok(()) => Ok(dir),
            Err(e) => Err(Error::io("create", &dir, &e)),
        }
    }

    /// Publishes what a finished job wrote, unless a file that it read no longer has the content that the key says.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn collect(&self, job: &Job, ending: Ending) -> Result<(Ending, Produced)> {
        let Ending::Done(report) = &ending else {
            let corrupt = job.sandbox.as_ref().and_then(|_| corrupt_input(&self.disk, job));
            return Ok((corrupt.unwrap_or(ending), Produced::default()));
        };
        for (path, content) in job.files.iter().zip(&job.contents) {
            let why = match self.source(path, &mut Vec::new()) {
                Ok(found) if found == *content => continue,
                Ok(_) => format!("{} changed while the stage ran; run again", path.display()),
                Err(e) => Stop::from(e).to_string(),
            };
            return Ok((Ending::Failed(why), Produced::default()));
        }
        let produced = self.publish(job.key, &job.name, &job.dir, &report.outputs)?;
        if let Some(folder) = &job.checkpoints {
            drop(self.disk.remove_folder(folder)); // one that remains is garbage, found by its key
        }
        Ok((ending, produced.into()))
    }

    /// Who is computing `key`, according to its attempt folders.
    #[must_use]
    pub fn holder(&self, key: Digest) -> String {
        self.attempts()
            .into_iter()
            .find(|(of, ..)| *of == key)
            .map_or_else(|| "another process".to_owned(), |(_, pid, _)| format!("process {pid}"))
    }

    /// The keys that are being computed.
    #[must_use]
    pub fn computed_now(&self) -> Vec<Digest> {
        let keys = self.attempts().into_iter().map(|(key, ..)| key);
        keys.filter(|key| self.locks().held(*key)).collect()
    }

    /// Removes the attempt folders that nobody works in any more.
    ///
    /// # Errors
    /// When the lock file cannot be used.
    pub fn sweep(&self) -> Result<()> {
        for (key, _, path) in self.attempts() {
            // Holding the claim means that nobody else works on this key.
            if let Some(_claim) = self.locks().claim(key)? {
                drop(self.disk.remove_folder(&path)); // removing a folder that remains is tried again next time
            }
        }
        Ok(())
    }

    fn attempts(&self) -> Vec<(Digest, String, PathBuf)> {
        let entries = self.disk.list(&self.root().join("tmp")).unwrap_or_default();
        entries
            .into_iter()
            .filter_map(|(path, _)| {
                let (key, rest) = path.file_name()?.to_str()?.split_once('.')?;
                let (pid, _) = rest.split_once('.')?;
                Some((key.parse().ok()?, pid.to_owned(), path))
            })
            .collect()
    }
}

/// The ending of a job that found an input corrupt but was confined and could not move it aside. If another such job
/// was first, the input is in quarantine already.
fn corrupt_input(disk: &Disk, job: &Job) -> Option<Ending> {
    job.inputs.values().find_map(|input| {
        let aside = super::aside(&input.path);
        let found = match disk.digest(&input.path) {
            Err(_) => disk.digest(&aside).ok(),
            found => found.ok(),
        };
        let found = found.filter(|found| *found != input.digest)?;
        let error = corrupt(disk, &input.path, &input.stage, input.digest, found);
        Some(Ending::Failed(Stop::from(error).to_string()))
    })
}
