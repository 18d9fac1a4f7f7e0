//! Reading results: tables by stage name. What notebooks and reports use.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use arrow_array::RecordBatch;

use crate::{
    digest::Digest,
    error::{Error, Exit, Result, suggestion},
    graph::matches,
    store::{self, Artifact, Store},
    table,
};

/// The artifacts of the last run of each stage.
pub struct Artifacts {
    store: Store,
    /// Of one profile alone: its name, and the keys that its runs ended with.
    only: Option<(String, BTreeMap<String, Digest>)>,
}

impl Artifacts {
    /// Opens the artifacts in `dir`: of each stage the last run, whatever its profile.
    ///
    /// # Errors
    /// When there are none.
    pub fn open(dir: &Path) -> Result<Self> {
        Ok(Self { store: Store::open_existing(dir)?, only: None })
    }

    /// Opens the artifacts in `dir`: of each stage the last run under `profile`.
    ///
    /// # Errors
    /// When there are none, a run's record cannot be read, or no run had this profile.
    pub fn under(dir: &Path, profile: &str) -> Result<Self> {
        let store = Store::open_existing(dir)?;
        let (own, others): (Vec<_>, Vec<_>) =
            store.runs()?.into_iter().partition(|run| run.profile == profile);
        if own.is_empty() {
            let others: BTreeSet<String> = others.into_iter().map(|run| run.profile).collect();
            let others: Vec<String> = others.into_iter().collect();
            let error = Error::new(Exit::Store, format!("no run under profile `{profile}` yet"));
            return Err(if others.is_empty() {
                error.help("`retune run` makes one")
            } else {
                error.help(format!("runs were under: {}", others.join(", ")))
            });
        }
        let mut keys: BTreeMap<String, Digest> =
            own.into_iter().flat_map(|run| run.stages).collect();
        let log = store.facts();
        keys.retain(|_, key| log.known().done(*key).is_some()); // the others were collected
        drop(log);
        Ok(Self { store, only: Some((profile.to_owned(), keys)) })
    }

    /// The profile of the last run that ended with the present result of `stage`.
    ///
    /// # Errors
    /// When the stage has no result, or a run's record cannot be read.
    pub fn profile_of(&self, stage: &str) -> Result<Option<String>> {
        if let Some((profile, _)) = &self.only {
            return Ok(Some(profile.clone()));
        }
        let key = self.key(stage)?;
        for id in self.store.run_ids().into_iter().rev() {
            let run = self.store.run_record(id)?;
            if run.stages.get(stage) == Some(&key) {
                return Ok(Some(run.profile));
            }
        }
        Ok(None)
    }

    /// The names of all stages with the keys of their results, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<(String, Digest)> {
        if let Some((_, keys)) = &self.only {
            return keys.iter().map(|(name, key)| (name.clone(), *key)).collect();
        }
        let log = self.store.facts();
        log.known().names().into_iter().map(|(name, key)| (name.to_owned(), key)).collect()
    }

    /// The names of the stages that fit `pattern` (a name, a prefix, or with `*`), sorted.
    #[must_use]
    pub fn stages(&self, pattern: &str) -> Vec<String> {
        let names = self.keys().into_iter().map(|(name, _)| name);
        names.filter(|name| matches(pattern, name)).collect()
    }

    /// The key of the stage's result.
    ///
    /// # Errors
    /// When the stage has no result.
    pub fn key(&self, stage: &str) -> Result<Digest> {
        let log = self.store.facts();
        let facts = log.known();
        let key = match &self.only {
            Some((_, keys)) => keys.get(stage).copied(),
            None => facts.key_of(stage),
        };
        if let Some(key) = key {
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
        drop(log); // `stages` locks it too
        let names = self.stages("*");
        let near = suggestion(stage, names.iter().map(String::as_str));
        let under = self.only.as_ref().map(|(profile, _)| format!(" under profile `{profile}`"));
        let under = under.unwrap_or_default();
        Err(Error::new(Exit::Store, format!("no result of stage `{stage}`{under}{near}"))
            .help("`retune run` computes it; `retune status` lists what is there"))
    }

    fn artifact(&self, stage: &str, output: &str) -> Result<Artifact> {
        let key = self.key(stage)?;
        let log = self.store.facts();
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
        Ok(self.store.object(self.artifact(stage, output)?.digest))
    }

    /// An output as one batch. Its content is checked first.
    ///
    /// # Errors
    /// When there is no such result, or it is corrupt.
    pub fn table(&self, stage: &str, output: &str) -> Result<RecordBatch> {
        let artifact = self.artifact(stage, output)?;
        let path = self.store.object(artifact.digest);
        let found = Digest::of_file(&path).map_err(|e| Error::io("read", &path, &e))?;
        if found != artifact.digest {
            return Err(store::corrupt(&path, stage, artifact.digest, found));
        }
        table::read(&path)
    }
}
