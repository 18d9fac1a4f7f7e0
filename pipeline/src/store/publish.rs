//! Every write to a store's facts: publishing results, binding names, remembering stamps.

use std::path::Path;

use super::{Artifact, Fact, Health, Stamp, Store};
use crate::{
    digest::Digest,
    disk::Kind,
    error::{Error, Exit, Result},
    table,
};

impl Store {
    /// Moves an attempt's outputs to their addresses and records the stage as done.
    ///
    /// # Errors
    /// When the disk refuses; the stage then is not done.
    pub fn publish(
        &self,
        key: Digest,
        name: &str,
        dir: &Path,
        outputs: &[String],
    ) -> Result<Vec<Artifact>> {
        let mut produced = Vec::with_capacity(outputs.len());
        for output in outputs {
            let from = table::file_name(dir, output);
            // A foreign stage may have written both the name and the file: neither may lead out of its folder, nor
            // end a line of the log.
            let plain = output.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
            if !plain || from.symlink_metadata().is_ok_and(|meta| !meta.is_file()) {
                let message =
                    format!("stage {name} left an output {output:?}, which is not a table");
                return Err(Error::new(Exit::Failed, message));
            }
            let digest = self.disk.digest(&from).map_err(|e| Error::io("read", &from, &e))?;
            let to = self.object(digest);
            self.place(digest, &from, &to)?;
            let stamp = self.disk.stamp(&to).map_err(|e| Error::io("inspect", &to, &e))?;
            produced.push(Artifact { output: output.as_str().into(), digest, stamp });
        }
        self.append(&[Fact::Done(key, name, &produced)])?;
        Ok(produced)
    }

    /// Renames `from` to `to`. The same content may exist already: if it is sound it stays, so that the stamps
    /// recorded for it stay valid; if it is corrupt it is replaced.
    fn place(&self, digest: Digest, from: &Path, to: &Path) -> Result<()> {
        if self.hash_health(digest).is_ok_and(|health| health == Health::Sound) {
            return Ok(());
        }
        // Nothing has to write to it again.
        self.disk.protect(from).map_err(|e| Error::io("protect", from, &e))?;
        match self.disk.rename(from, to) {
            Ok(()) => return Ok(()),
            Err(e) if super::gone(&e) => {}
            Err(e) if e.kind() == std::io::ErrorKind::IsADirectory => {
                super::quarantine(&self.disk, to)?;
            }
            Err(e) => return Err(Error::io("rename to", to, &e)),
        }
        // Most likely its folder is missing; another thread may be creating it just now.
        let folder = to.parent().unwrap_or(&self.root);
        if self.disk.is(folder, Kind::File) {
            let aside = self.root.join("quarantine").join(folder.file_name().unwrap_or_default());
            super::set_aside(&self.disk, folder, &aside)
                .map_err(|e| Error::io("move aside", folder, &e))?;
        }
        self.disk.make_folders(folder).map_err(|e| Error::io("create", folder, &e))?;
        self.disk.rename(from, to).map_err(|e| Error::io("rename to", to, &e))
    }

    /// Appends facts to the log.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn append(&self, facts: &[Fact]) -> Result<()> {
        if facts.is_empty() {
            return Ok(());
        }
        let mut log = self.facts();
        self.locks().appending(|| log.append(facts))
    }

    /// Makes sure that the log can be written before anything is computed.
    ///
    /// # Errors
    /// When it cannot.
    pub fn writable(&self) -> Result<()> {
        self.facts().appendable().map(drop)
    }

    /// Writes the facts of the log in the form that the next process reads fastest, if that is worthwhile.
    ///
    /// # Errors
    /// When it cannot be written, which is harmless.
    pub fn snapshot(&self) -> Result<()> {
        let mut log = self.facts();
        self.locks().appending(|| log.snapshot())
    }

    /// The content digest of a user's file: from its stamp if that is known, otherwise by hashing it. Newly hashed
    /// files are pushed to `learned`, to be appended when the store may be written, except for files that changed
    /// just now, whose stamps cannot be trusted yet.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn source(
        &self,
        path: &Path,
        learned: &mut Vec<(std::path::PathBuf, Stamp, Digest)>,
    ) -> Result<Digest> {
        let stamp = self.disk.stamp(path).map_err(|e| Error::io("inspect", path, &e))?;
        if let Some(digest) = self.facts().known().source(path, stamp) {
            return Ok(digest);
        }
        // Anybody may be writing to it just now.
        let digest = self.disk.digest(path).map_err(|e| Error::io("read", path, &e))?;
        if stamp.settled() {
            let log = self.facts();
            let before = log.known().sources.get(path).filter(|(_, was)| *was == digest);
            let stamp = before.map_or(stamp, |(before, _)| stamp.confirmed(*before));
            learned.push((path.to_owned(), stamp, digest));
        }
        Ok(digest)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_output_is_a_file_of_the_attempts_own_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (own, theirs) = (dir.path().join("own"), dir.path().join("theirs.parquet"));
        fs::create_dir(&own).unwrap();
        fs::write(&theirs, "precious").unwrap();
        std::os::unix::fs::symlink(&theirs, own.join("link.parquet")).unwrap();
        nix::unistd::mkfifo(&own.join("pipe.parquet"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let store = Store::open(dir.path()).unwrap();
        let absolute = dir.path().join("theirs").display().to_string();
        for output in ["../theirs", "link", "pipe", "a\nb", "a,b", &absolute] {
            let error =
                store.publish(Digest::of(b"a"), "a", &own, &[output.to_owned()]).unwrap_err();
            assert!(error.to_string().contains("which is not a table"), "{output}: {error}");
        }
        assert!(!theirs.metadata().unwrap().permissions().readonly());
        assert_eq!(fs::read(&theirs).unwrap(), b"precious");
        assert!(store.facts().known().done(Digest::of(b"a")).is_none());
    }
}
