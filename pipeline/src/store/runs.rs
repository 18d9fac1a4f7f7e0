//! Run records: which stages a run wanted and under which keys, so that two runs can be compared.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::Store;
use crate::{
    digest::Digest,
    error::{Error, Exit, Result},
};

/// One run of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its number in this store, from 1.
    pub id: u64,
    /// Seconds since the epoch at its end.
    pub finished: u64,
    /// Host name.
    pub host: String,
    /// The profile that it ran under.
    pub profile: String,
    /// Overrides given on the command line.
    pub overrides: Vec<String>,
    /// The targets as they were typed, none for all stages; `None` in records from before they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// Whether what it ended with is kept, whatever the configs say later.
    #[serde(default)]
    pub pinned: bool,
    /// Stage name → key, for every stage that was up to date at its end.
    pub stages: BTreeMap<String, Digest>,
    /// Stage name → the consequences, for every stage that could not be computed here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lacking: BTreeMap<String, Lack>,
}

impl RunRecord {
    /// The command that ran it, as it is typed into a shell; `None` if its targets are not known.
    #[must_use]
    pub fn command(&self, program: &str) -> Option<String> {
        let targets = self.targets.as_ref()?.iter().map(|target| format!(" {}", quoted(target)));
        Some(format!("{program} run{}{}", targets.collect::<String>(), self.options()))
    }

    /// Its profile and overrides as options of a command.
    #[must_use]
    pub fn options(&self) -> String {
        let set = self.overrides.iter().map(|set| format!(" --set {}", quoted(set)));
        format!(" --profile {}{}", self.profile, set.collect::<String>())
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A stage that could not be computed here. The log knows why, by its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lack {
    /// Its key.
    pub key: Digest,
    /// The stages that did not run because they need it.
    pub blocked: Vec<String>,
    /// The stages that were tried or computed without it, or read a result that was.
    pub without: Vec<String>,
}

impl Lack {
    /// For the stage with this key, which no other stage needs.
    #[must_use]
    pub fn of(key: Digest) -> Self {
        Self { key, blocked: Vec::new(), without: Vec::new() }
    }
}

/// What to do about a record that cannot be read.
const GARBLED: &str = "put the file back from a copy, or remove it: results are kept apart from it, but \
    `retune gc` no longer knows which of them it pinned";

impl Store {
    fn runs_dir(&self) -> PathBuf {
        self.root().join("runs")
    }

    /// The numbers of the recorded runs, ascending.
    ///
    /// # Errors
    /// When their folder cannot be read: the results of a run that is not seen would not be kept.
    pub fn run_ids(&self) -> Result<Vec<u64>> {
        let mut ids: Vec<u64> = super::gc::files(&self.disk, &self.runs_dir(), 1)?
            .iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .filter_map(|path| {
                let stem = path.file_stem()?.to_str()?;
                // `007` and `+7` are not numbers that we write.
                stem.parse().ok().filter(|id: &u64| id.to_string() == stem)
            })
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// The record of run `id`.
    ///
    /// # Errors
    /// When there is no such run, or its record cannot be read.
    pub fn run_record(&self, id: u64) -> Result<RunRecord> {
        let path = self.runs_dir().join(format!("{id}.json"));
        let bytes = self.disk.read(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => self.no_run(id),
            _ => Error::io("read", &path, &e),
        })?;
        let garbled = |why: String| {
            Error::new(Exit::Store, format!("cannot read {}: {why}", path.display())).help(GARBLED)
        };
        let run: RunRecord = serde_json::from_slice(&bytes).map_err(|e| garbled(e.to_string()))?;
        if run.id == id {
            Ok(run)
        } else {
            Err(garbled(format!("it is the record of run {}", run.id)))
        }
    }

    fn no_run(&self, id: u64) -> Error {
        let ids = self.run_ids().unwrap_or_default();
        let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
        let ids = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
        Error::usage(format!("there is no run {id}; recorded runs: {ids}"))
            .help("`retune runs` lists them")
    }

    /// Records a run, unless it ended exactly like the previous one: then that one's number is returned.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn record_run(&self, run: RunRecord) -> Result<u64> {
        // Two runs that end together must not take the same number.
        self.locks().appending(|| self.number_run(run))
    }

    fn number_run(&self, mut run: RunRecord) -> Result<u64> {
        let last = self.run_ids()?.last().copied().unwrap_or(0);
        let same = self.run_record(last).is_ok_and(|before| {
            (&before.stages, &before.lacking, &before.profile, &before.overrides)
                == (&run.stages, &run.lacking, &run.profile, &run.overrides)
                && (before.targets.is_some() || run.targets.is_none())
        });
        if same {
            return Ok(last);
        }
        run.id = last.checked_add(1).ok_or_else(|| {
            let path = self.runs_dir().join(format!("{last}.json"));
            Error::new(Exit::Store, format!("no number comes after that of {}", path.display()))
                .help("remove it: no run of this program wrote it")
        })?;
        self.write_run(&run)?;
        Ok(run.id)
    }

    fn write_run(&self, run: &RunRecord) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(run)
            .map_err(|e| Error::usage(format!("a run record cannot be written: {e}")).because(e))?;
        let path = self.runs_dir().join(format!("{}.json", run.id));
        self.disk.replace(&path, &bytes).map_err(|e| Error::io("write", &path, &e))
    }

    /// Keeps what run `id` ended with from garbage collection, or no longer does so.
    ///
    /// # Errors
    /// When there is no such run, or its record cannot be written.
    pub fn pin(&self, id: u64, pinned: bool) -> Result<()> {
        self.locks().appending(|| {
            let run = self.run_record(id)?;
            if run.pinned == pinned { Ok(()) } else { self.write_run(&RunRecord { pinned, ..run }) }
        })
    }

    /// The recorded runs that can be read, oldest first, and why the others cannot.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub fn runs(&self) -> Result<(Vec<RunRecord>, Vec<Error>)> {
        let (mut runs, mut garbled) = (Vec::new(), Vec::new());
        for id in self.run_ids()? {
            match self.run_record(id) {
                Ok(run) => runs.push(run),
                Err(error) => garbled.push(error),
            }
        }
        Ok((runs, garbled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_run_can_be_typed() {
        let mut run = RunRecord {
            id: 1,
            finished: 0,
            host: "here".to_owned(),
            profile: "smoke".to_owned(),
            overrides: vec!["a.b=1".to_owned(), "c=\"it's\"".to_owned()],
            targets: Some(vec!["x/*/grid".to_owned(), "y".to_owned()]),
            pinned: false,
            stages: BTreeMap::new(),
            lacking: BTreeMap::new(),
        };
        let wanted = r#"toy run 'x/*/grid' y --profile smoke --set a.b=1 --set 'c="it'\''s"'"#;
        assert_eq!(run.command("toy").as_deref(), Some(wanted));
        run.targets = None;
        assert_eq!(run.command("toy"), None, "a record from before targets were kept");
    }
}
