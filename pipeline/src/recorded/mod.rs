//! A run that is kept with the sources: a small store with the results that are worth keeping, a list of everything
//! that the run computed, and its research object. The folder of one experiment contains:
//!
//! ```text
//! recorded.json                what was run, where, at what cost
//! stages.parquet               every output of every stage: key, code, digest, cost (see `list`)
//! store/v1/                    a store like any other, with the results that were chosen
//! ro-crate-metadata.json       the research object over them
//! ```
//!
//! The list makes the run checkable where its tables are missing: whoever computes a stage again compares digests.

pub mod audit;
pub mod deposit;
pub mod judging;
mod less;
pub mod list;
pub mod near;
mod sound;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use self::list::Line;
use crate::{
    artifacts::Artifacts,
    digest::Digest,
    error::{Error, Exit, Result},
    kinds::Kinds,
    provenance::{Account, Story, ro_crate},
    store::{RECORDED, Store, runs::RunRecord},
    table,
};

/// The layout that this program writes and reads.
const FORMAT: u32 = 1;
const STAGES: &str = "stages.parquet";

/// What was run, where, at what cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The layout of the folder.
    pub format: u32,
    /// The experiment.
    pub experiment: String,
    /// The profile that it ran under.
    pub profile: String,
    /// Overrides of the config.
    pub overrides: Vec<String>,
    /// The program that ran it, with its version.
    pub program: String,
    /// Seconds since the epoch at the run's end.
    pub finished: u64,
    /// The machines that computed it: processor → stages.
    pub machines: BTreeMap<String, usize>,
    /// The models of the GPUs that stages computed on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gpus: BTreeSet<String>,
    /// The families of processors that computed it ([`crate::store::environment::family`]); none in records from before they were told.
    #[serde(default)]
    pub families: BTreeSet<String>,
    /// CPU seconds of all stages together.
    pub cpu_s: f64,
    /// Stages that were computed.
    pub stages: usize,
    /// Stages whose tables are here.
    pub kept: usize,
    /// Stages that were unavailable where it ran.
    pub lacking: Vec<String>,
    /// The last time that stages were computed anew from the kept tables, if ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
}

/// Stages of a recorded run that another program computed anew from the tables that were kept ([`judging`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The program that did, with its version.
    pub program: String,
    /// Seconds since the epoch.
    pub finished: u64,
    /// How many stages.
    pub stages: usize,
}

/// How much may be kept of one experiment.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all tables together.
    pub bytes: u64,
}

/// The folder of the recorded runs, beside the store in the folder `artifacts`.
#[must_use]
pub fn folder(artifacts: &Path) -> PathBuf {
    artifacts.join("recorded")
}

/// Bytes of all files of all recorded runs together.
const ALL: u64 = 15_000_000;

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: ALL }
    }
}

impl Limits {
    /// What the recorded runs below `dir` leave for `experiment`, whose own recorded run is replaced.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn beside(dir: &Path, experiment: &str) -> Result<Self> {
        let mut others = 0;
        for (folder, recorded) in Recorded::all(dir)? {
            if recorded.experiment != experiment {
                others += size(&folder)?;
            }
        }
        Ok(Self { bytes: ALL.saturating_sub(others) })
    }
}

/// Bytes of all files below `dir`.
fn size(dir: &Path) -> Result<u64> {
    let entries = fs::read_dir(dir).map_err(|e| Error::io("read", dir, &e))?;
    let mut sum = 0;
    for entry in entries {
        let entry = entry.map_err(|e| Error::io("read", dir, &e))?;
        let metadata = entry.metadata().map_err(|e| Error::io("inspect", &entry.path(), &e))?;
        sum += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(sum)
}

impl Recorded {
    /// Keeps a run's stages of `experiment` in `dir`, which is replaced: the tables of the stages that `keep`
    /// chooses, and one line about each of the others.
    ///
    /// # Errors
    /// When the run has no stage of the experiment, the tables exceed the limit, or the disk refuses.
    pub fn write(
        store: &Store,
        mut story: Story,
        experiment: &str,
        keep: &dyn Fn(&Account) -> bool,
        limits: Limits,
        about: &ro_crate::About,
        dir: &Path,
    ) -> Result<Self> {
        let own = |stage: &str| stage.split('/').next() == Some(experiment);
        story.accounts.retain(|account| own(&account.stage));
        story.run.stages.retain(|stage, _| own(stage));
        story.run.lacking.retain(|stage, _| own(stage));
        if let Some(untold) = story.untold.iter().find(|stage| own(stage)) {
            return Err(Error::new(Exit::Store, format!("nothing is recorded of stage {untold}"))
                .help("`retune run --force STAGE` computes it again"));
        }
        if story.accounts.is_empty() {
            let run = story.run.id;
            return Err(Error::usage(format!("run {run} has no stage of {experiment}"))
                .help("`retune runs` lists the runs, `--run N` chooses one"));
        }
        let recorded = Self::of(&story, experiment, &about.program);
        let lines = story.accounts.iter().flat_map(Line::of).collect();
        story.accounts.retain(keep);
        recorded.put(store, story, lines, limits, about, dir)
    }

    /// Replaces what is in `dir` by this record, these lines and the tables of the story's stages.
    fn put(
        self,
        store: &Store,
        mut story: Story,
        lines: Vec<Line>,
        limits: Limits,
        about: &ro_crate::About,
        dir: &Path,
    ) -> Result<Self> {
        let kept = &story.accounts;
        within(kept, limits, store)?;
        let recorded = Self { kept: kept.len(), ..self };
        let lines = list::table(lines)?;

        // Written beside its final place until it is complete.
        let new = dir.with_extension("new");
        let io = |doing: &'static str, path: &Path| {
            let path = path.to_owned();
            move |e: std::io::Error| Error::io(doing, &path, &e)
        };
        if new.exists() {
            fs::remove_dir_all(&new).map_err(io("remove", &new))?;
        }
        fs::create_dir_all(&new).map_err(io("create", &new))?;
        fill(store, kept, &story.run, &new)?;
        table::write(&new.join(STAGES), &lines)?;
        story.run.stages.retain(|stage, _| kept.iter().any(|account| account.stage == *stage));
        ro_crate::describe(store, &story, about, &new)?;
        let text = serde_json::to_string_pretty(&recorded)
            .map_err(|e| Error::usage(format!("{RECORDED} cannot be written: {e}")))?;
        fs::write(new.join(RECORDED), text + "\n").map_err(io("write", &new))?;
        if dir.exists() {
            fs::remove_dir_all(dir).map_err(io("remove", dir))?;
        }
        fs::rename(&new, dir).map_err(io("rename to", dir))?;
        Ok(recorded)
    }

    /// Rewrites the research object of what is recorded in `dir`.
    ///
    /// # Errors
    /// When nothing is recorded there, a table is missing or corrupt, or the folder cannot be written.
    pub fn describe(about: &ro_crate::About, dir: &Path) -> Result<()> {
        let store = Store::open_existing(dir)?;
        ro_crate::describe(&store, &Story::of(&store, None)?, about, dir)
    }

    /// What would be said of a run if it were recorded.
    #[must_use]
    pub fn of(story: &Story, experiment: &str, program: &str) -> Self {
        let own = |stage: &str| stage.split('/').next() == Some(experiment);
        let (mut machines, mut families) = (BTreeMap::new(), BTreeSet::new());
        let mut gpus = BTreeSet::new();
        let mut keys = BTreeSet::new();
        let computed: Vec<&Account> = story
            .accounts
            .iter()
            .filter(|account| own(&account.stage) && keys.insert(account.key))
            .collect();
        for account in &computed {
            let known = account.environment.and_then(|digest| story.environments.get(&digest));
            let machine = known.map_or("not known", |known| known.machine.processor.as_str());
            *machines.entry(machine.to_owned()).or_default() += 1;
            let used = known.filter(|_| account.gpus > 0).map(|known| &known.machine.gpus);
            gpus.extend(used.into_iter().flatten().cloned());
            let family = known.map_or("", |known| known.family.as_str());
            families.extend(Some(family.to_owned()).filter(|family| !family.is_empty()));
        }
        let RunRecord { profile, overrides, finished, lacking, .. } = &story.run;
        Self {
            format: FORMAT,
            experiment: experiment.to_owned(),
            profile: profile.clone(),
            overrides: overrides.clone(),
            program: format!("{program} {}", env!("CARGO_PKG_VERSION")),
            finished: *finished,
            machines,
            gpus,
            families,
            cpu_s: computed.iter().map(|account| account.cpu_s()).sum(),
            stages: computed.len(),
            kept: 0,
            lacking: lacking.keys().filter(|stage| own(stage)).cloned().collect(),
            judged: None,
        }
    }

    /// What is recorded in `dir`.
    ///
    /// # Errors
    /// When nothing is recorded there, or it was written by a newer program than this one.
    pub fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(RECORDED);
        let text = fs::read_to_string(&path).map_err(|e| Error::io("read", &path, &e))?;
        let broken = |what: String| {
            Error::new(Exit::Store, format!("{}: {what}", path.display())).help(sound::REMEDY)
        };
        let recorded: Self = serde_json::from_str(&text).map_err(|e| broken(e.to_string()))?;
        match recorded.format {
            FORMAT => Ok(recorded),
            other => Err(broken(format!("layout {other}; this program reads layout {FORMAT}"))),
        }
    }

    /// The processors and GPUs that computed it, for people.
    #[must_use]
    pub fn hardware(&self) -> String {
        let processors: Vec<&str> = self.machines.keys().map(String::as_str).collect();
        let processors = processors.join(" and ");
        if self.gpus.is_empty() {
            return processors;
        }
        let gpus: Vec<&str> = self.gpus.iter().map(String::as_str).collect();
        format!("{processors} with {}", gpus.join(" and "))
    }

    /// The results that were kept in `dir`.
    ///
    /// # Errors
    /// When there are none.
    pub fn artifacts(&self, dir: &Path) -> Result<Artifacts> {
        Artifacts::under(dir, &self.profile)
    }

    /// Whether `stage` was computed there by other code than these `kinds` have for it.
    ///
    /// # Errors
    /// When the list of stages cannot be read.
    pub fn is_outdated(&self, dir: &Path, stage: &str, kinds: &Kinds) -> Result<bool> {
        let lines = self.lines(dir)?;
        let line = lines.iter().find(|line| line.stage == stage);
        let other = |line: &Line| {
            let code = kinds.get(&line.kind).map(|kind| kind.code.digest.to_string());
            code.is_none_or(|code| code != line.code)
        };
        Ok(line.is_some_and(other))
    }

    /// Every output of every stage that was computed.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn lines(&self, dir: &Path) -> Result<Vec<Line>> {
        list::read(&dir.join(STAGES))
    }
}

/// Refuses to keep more than the limit.
fn within(kept: &[Account], limits: Limits, store: &Store) -> Result<()> {
    let digests: BTreeSet<Digest> =
        kept.iter().flat_map(|account| account.outputs.iter().map(|(_, digest)| *digest)).collect();
    let mut sizes = Vec::new();
    for digest in digests {
        let path = store.object(digest);
        let stamp = store.disk().stamp(&path).map_err(|e| {
            Error::io("inspect", &path, &e).help("`retune run` computes missing artifacts again")
        })?;
        sizes.push((stamp.size, digest));
    }
    let sum: u64 = sizes.iter().map(|(size, _)| size).sum();
    if sum <= limits.bytes {
        return Ok(());
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let whose = |digest: Digest| {
        kept.iter().find(|account| account.outputs.iter().any(|(_, own)| *own == digest))
    };
    let largest = sizes.iter().take(3).filter_map(|(size, digest)| {
        Some(format!("{} ({} kB)", whose(*digest)?.stage, size / 1000))
    });
    let (largest, has, may) =
        (largest.collect::<Vec<_>>().join(", "), sum / 1000, limits.bytes / 1000);
    Err(Error::usage(format!("the tables have {has} kB, and {may} kB are left for them"))
        .help(format!("the largest: {largest}")))
}

/// Makes a store below `dir` with these results, and a run that ended with them.
fn fill(from: &Store, kept: &[Account], run: &RunRecord, dir: &Path) -> Result<()> {
    let to = Store::open(dir)?;
    let records = from.records()?;
    let mut keys = BTreeSet::new();
    for account in kept.iter().filter(|account| keys.insert(account.key)) {
        let attempt = to.attempt(account.key, 0)?;
        for (output, digest) in &account.outputs {
            let bytes = from.content(*digest, &account.stage)?;
            let path = table::file_name(&attempt, output);
            to.disk().write(&path, &bytes).map_err(|e| Error::io("write", &path, &e))?;
        }
        let outputs: Vec<String> = account.outputs.iter().map(|(name, _)| name.clone()).collect();
        to.publish(account.key, &account.stage, &attempt, &outputs)?;
        if let Some(record) = records.get(account.key) {
            to.record(record)?;
        }
        if let Some(known) = account.environment.and_then(|digest| from.environment(digest)) {
            to.keep_environment(&known)?;
        }
    }
    to.record_run(RunRecord {
        id: 0,
        pinned: true,
        stages: kept.iter().map(|account| (account.stage.clone(), account.key)).collect(),
        lacking: BTreeMap::new(),
        ..run.clone()
    })?;
    // If two stages gave the same bytes, the second attempt's file is still there.
    to.sweep()
}
