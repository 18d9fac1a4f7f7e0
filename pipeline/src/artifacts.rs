//! Reading results: tables by stage name. What notebooks and reports use.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use crate::{
    digest::Digest,
    error::{Error, Exit, Result, suggestion},
    graph::matches,
    store::{self, Artifact, Store},
    table,
};

/// The artifacts of the last run of each stage.
pub struct Artifacts(Store);

impl Artifacts {
    /// Opens the artifacts in `dir`.
    ///
    /// # Errors
    /// When there are none.
    pub fn open(dir: &Path) -> Result<Self> {
        Store::open_existing(dir).map(Self)
    }

    /// The names of the stages that fit `pattern` (a name, a prefix, or with `*`), sorted.
    #[must_use]
    pub fn stages(&self, pattern: &str) -> Vec<String> {
        let log = self.0.facts();
        let names = log.known().names().into_iter().map(|(name, _)| name.to_owned());
        names.filter(|name| matches(pattern, name)).collect()
    }

    /// The key under which the stage was last computed.
    ///
    /// # Errors
    /// When the stage has no result.
    pub fn key(&self, stage: &str) -> Result<Digest> {
        let log = self.0.facts();
        let facts = log.known();
        if let Some(key) = facts.key_of(stage) {
            if let Some(why) = facts.unavailable(key) {
                return Err(Error::new(
                    Exit::Store,
                    format!("stage {stage} is unavailable: {why}"),
                ));
            }
            if facts.done(key).is_some() {
                return Ok(key);
            }
        }
        let names = facts.names();
        let near = suggestion(stage, names.iter().map(|(name, _)| *name));
        Err(Error::new(Exit::Store, format!("no result of stage `{stage}`{near}"))
            .help("`retune run` computes it; `retune status` lists what is there"))
    }

    fn artifact(&self, stage: &str, output: &str) -> Result<Artifact> {
        let key = self.key(stage)?;
        let log = self.0.facts();
        let produced = log.known().done(key).map_or(&[][..], |produced| &produced[..]);
        produced.iter().find(|artifact| *artifact.output == *output).cloned().ok_or_else(|| {
            let names: Vec<_> = produced.iter().map(|a| &*a.output).collect();
            Error::usage(format!(
                "stage {stage} has no output `{output}`, only {}",
                names.join(", ")
            ))
        })
    }

    /// Where an output lies.
    ///
    /// # Errors
    /// When there is no such result.
    pub fn path(&self, stage: &str, output: &str) -> Result<PathBuf> {
        Ok(self.0.object(self.artifact(stage, output)?.digest))
    }

    /// An output as one batch. Its content is checked first.
    ///
    /// # Errors
    /// When there is no such result, or it is corrupt.
    pub fn table(&self, stage: &str, output: &str) -> Result<RecordBatch> {
        let artifact = self.artifact(stage, output)?;
        let path = self.0.object(artifact.digest);
        let found = Digest::of_file(&path).map_err(|e| Error::io("read", &path, &e))?;
        if found != artifact.digest {
            return Err(store::corrupt(&path, stage, artifact.digest, found));
        }
        table::read(&path)
    }
}
