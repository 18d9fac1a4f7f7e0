//! Checks everything that a store contains, as `git fsck` does: every object, including those that no key names;
//! every line of the log and of the records; the snapshot; runs, environments, checkpoints, jobs, and leftovers.
//! Changes nothing (see `repair`). If something cannot be read or listed, the check ends with an error: it must pass
//! neither for sound nor for missing.

mod beside;
mod lines;
mod objects;
mod repair;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

pub use self::repair::Repaired;
use super::{Store, verify::Depth};
use crate::{digest::Digest, error::Result};

/// What is wrong with a part of a store, and accordingly what a repair does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// A file is not what its name says: it is moved aside.
    Unsound,
    /// An output that the log names is missing or not sound: its stage is forgotten.
    Lost,
    /// Lines of a file cannot be read: they are dropped, and a copy of the old file is kept aside.
    Garbled,
    /// The snapshot does not belong to this log: it is written again.
    Snapshot,
    /// Something that a killed process may leave, or that is not part of the store. It is harmless.
    LeftOver,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unsound => "unsound",
            Self::Lost => "lost",
            Self::Garbled => "garbled",
            Self::Snapshot => "snapshot",
            Self::LeftOver => "left over",
        })
    }
}

/// One problem that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The kind of problem.
    pub trouble: Trouble,
    /// The file.
    pub path: PathBuf,
    /// Details.
    pub what: String,
}

impl Finding {
    fn new(trouble: Trouble, path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Self { trouble, path: path.into(), what: what.into() }
    }
}

/// How much was checked, and what was found.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// All objects, those among them whose content was hashed, and those that no key names.
    pub objects: (usize, usize, usize),
    /// Lines of the log.
    pub lines: usize,
    /// Records of executions.
    pub records: usize,
    /// Records of runs.
    pub runs: usize,
    /// Files and folders in quarantine.
    pub quarantine: usize,
    /// What was found, sorted.
    pub findings: Vec<Finding>,
    /// Finished stages of which an output is lost.
    lost: BTreeSet<Digest>,
}

impl Inspection {
    /// The number of findings that are not mere leftovers.
    #[must_use]
    pub fn unsound(&self) -> usize {
        self.findings.iter().filter(|found| found.trouble != Trouble::LeftOver).count()
    }

    fn add(&mut self, trouble: Trouble, path: impl Into<PathBuf>, what: impl Into<String>) {
        self.findings.push(Finding::new(trouble, path, what));
    }

    fn has(&self, trouble: Trouble) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |found| found.trouble == trouble)
    }
}

impl Store {
    /// Checks everything; `depth` says which objects are hashed.
    ///
    /// # Errors
    /// When something exists but cannot be read or listed.
    pub fn inspect(&self, depth: Depth) -> Result<Inspection> {
        let mut found = Inspection::default();
        lines::look(self, &mut found)?;
        objects::look(self, depth, &mut found)?;
        beside::look(self, &mut found)?;
        found.findings.sort();
        Ok(found)
    }

    /// The stages that ever had a key, according to the log and the runs.
    fn names_by_key(&self) -> Result<BTreeMap<Digest, BTreeSet<String>>> {
        let mut names: BTreeMap<Digest, BTreeSet<String>> = BTreeMap::new();
        for (name, key) in self.facts().known().names() {
            names.entry(key).or_default().insert(name.to_owned());
        }
        for run in self.runs()?.0 {
            for (name, key) in run.stages {
                names.entry(key).or_default().insert(name);
            }
        }
        Ok(names)
    }
}
