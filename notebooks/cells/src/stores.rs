//! Copies of a store from which data sets are removed: the stages that read them are then computed again
//! without them, which takes seconds.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use pipeline::{digest::Digest, store::Store};
use serde_json::Value;
use tempfile::TempDir;

use crate::error::{Error, Result};

/// A data set that a store holds.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// Its id.
    pub id: String,
    /// The stages that load it: one computation with several names.
    pub stages: Vec<String>,
    /// Their outputs.
    object: Digest,
}

/// The data sets in the store in the folder `artifacts`, by id.
///
/// # Errors
/// If there is no store, or its records cannot be read.
pub fn data_sets(artifacts: &Path) -> Result<Vec<DataSet>> {
    let store = Store::open_existing(artifacts)?;
    let records = store.records()?;
    let log = store.facts();
    let mut sets: BTreeMap<String, DataSet> = BTreeMap::new();
    for (name, key) in log.known().names() {
        let record = records.get(key).filter(|record| record.kind.starts_with("data/"));
        let (Some(record), Some(produced)) = (record, log.known().done(key)) else { continue };
        let main = produced.iter().find(|artifact| &*artifact.output == "main");
        let params = record.manifest.parts.iter().find(|(part, _)| part == "params");
        let params: Value =
            params.and_then(|(_, json)| serde_json::from_str(json).ok()).unwrap_or_default();
        let (Some(main), Some(id)) = (main, params["data_set"].as_str()) else { continue };
        let new = || DataSet { id: id.to_owned(), stages: Vec::new(), object: main.digest };
        sets.entry(key.to_string()).or_insert_with(new).stages.push(name.to_owned());
    }
    let mut sets: Vec<DataSet> = sets.into_values().collect();
    sets.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(sets)
}

/// A copy of a store, which is removed when it is dropped. Objects are hard links, because the engine never
/// writes into one.
pub struct Copy {
    dir: TempDir,
}

impl Copy {
    /// Copies the store in the folder `artifacts` to a folder next to it.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn of(artifacts: &Path) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("without-").tempdir_in(artifacts);
        let dir = dir.map_err(|e| Error::io("make a folder in", artifacts, e))?;
        let [from, to] = [artifacts, dir.path()].map(|dir| dir.join("store/v1"));
        link(&from.join("objects"), &to.join("objects"))?;
        for folder in ["environments", "runs"] {
            copy(&from.join(folder), &to.join(folder))?;
        }
        for file in ["log", "records.jsonl"] {
            copy(&from.join(file), &to.join(file))?;
        }
        Ok(Self { dir })
    }

    /// The folder of artifacts.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes the loaded tables of a data set.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn lose(&self, set: &DataSet) -> Result<()> {
        let object = Store::open_existing(self.path())?.object(set.object);
        fs::remove_file(&object).map_err(|e| Error::io("remove", &object, e))
    }

    /// Runs `retune` with these arguments over the copy, without access to data; returns its output.
    ///
    /// # Errors
    /// If it does not succeed.
    pub fn retune(&self, program: &Path, words: &[&str]) -> Result<String> {
        let mut command = Command::new(program);
        command.args(words).arg("--store").arg(self.path());
        command.env("RETUNE_OFFLINE", "1").env_remove("RETUNE_DATA_MIRROR");
        command.env_remove("JOBS").env_remove("PROFILE");
        let output = command.output().map_err(|e| Error::io("start", program, e))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(said);
        }
        let error = String::from_utf8_lossy(&output.stderr);
        Err(Error::Ended(format!("retune {} did not succeed:\n{said}{error}", words.join(" "))))
    }
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = |dir: &Path| -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
    };
    read(dir).map_err(|e| Error::io("read", dir, e))
}

/// Applies `own` to every file below `from`, with its path below `to`.
fn each(from: &Path, to: &Path, own: fn(&Path, &Path) -> io::Result<()>) -> Result<()> {
    if !from.exists() {
        return Ok(());
    }
    if !from.is_dir() {
        let parent = to.parent().unwrap_or(to);
        fs::create_dir_all(parent).map_err(|e| Error::io("create", parent, e))?;
        return own(from, to).map_err(|e| Error::io("copy", from, e));
    }
    for entry in entries(from)? {
        each(&entry, &to.join(entry.file_name().unwrap_or_default()), own)?;
    }
    Ok(())
}

fn link(from: &Path, to: &Path) -> Result<()> {
    each(from, to, |from, to| fs::hard_link(from, to))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    each(from, to, |from, to| fs::copy(from, to).map(drop))
}
