//! Reading results: tables by stage name. Used by notebooks and reports.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use arrow_array::RecordBatch;

use crate::{
    absence::{Absence, Ending, Endings},
    digest::Digest,
    error::{Error, Exit, Result},
    graph::{matches, near},
    store::{self, Artifact, Store, runs::RunRecord},
    table,
};

/// The artifacts of the last run of each stage.
pub struct Artifacts {
    store: Store,
    /// The runs that the results are of, if not those of all.
    only: Option<Only>,
    /// How runs ended for each stage.
    endings: Mutex<Endings>,
}

/// Some runs under one profile.
struct Only {
    profile: String,
    /// The overrides that all of them had, if any were asked for.
    overrides: Vec<String>,
    /// The keys that they ended with.
    keys: BTreeMap<String, Digest>,
}

impl Only {
    /// Which runs these are, in words that fit after "no result".
    fn words(&self) -> String {
        format!(" under profile `{}`{}", self.profile, set(&self.overrides, " with"))
    }
}

/// Overrides as options of the command line, after `before`; nothing if there are none.
fn set(overrides: &[String], before: &str) -> String {
    if overrides.is_empty() {
        return String::new();
    }
    let options = overrides.iter().map(|set| format!(" --set {set}"));
    before.to_owned() + &options.collect::<String>()
}

impl Artifacts {
    /// Opens the artifacts in `dir`: the last run of each stage, whatever its profile.
    ///
    /// # Errors
    /// When there are none.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::of(Store::open_existing(dir)?)
    }

    /// The artifacts of `store`, which may be empty: the last run of each stage, whatever its profile.
    ///
    /// # Errors
    /// When the folder of the run records cannot be read.
    pub fn of(store: Store) -> Result<Self> {
        let endings = Mutex::new(Endings::of(&store)?);
        Ok(Self { store, only: None, endings })
    }

    /// Opens the artifacts in `dir`: the last run of each stage under `profile`. A run with overrides counts only for
    /// stages that no run without overrides had: its results are not those of the profile.
    ///
    /// # Errors
    /// When there are none, or no run with a readable record had this profile.
    pub fn under(dir: &Path, profile: &str) -> Result<Self> {
        let store = Store::open_existing(dir)?;
        let (mut own, others): (Vec<_>, Vec<_>) =
            store.runs()?.0.into_iter().partition(|run| run.profile == profile);
        if own.is_empty() {
            let others: BTreeSet<String> = others.into_iter().map(|run| run.profile).collect();
            let others: Vec<String> = others.into_iter().collect();
            let error = Error::usage(format!("no run under profile `{profile}` yet"));
            return Err(if others.is_empty() {
                error.help("`retune run` makes one")
            } else {
                error.help(format!("runs were under: {}", others.join(", ")))
            });
        }
        // Stable: the last run without overrides stays the last one.
        own.sort_by_key(|run| run.overrides.is_empty());
        Ok(Self::of_runs(store, profile, &[], own))
    }

    /// Opens the artifacts in `dir`: the last run of each stage with these overrides, in any order and no others, under
    /// `profile` or else under that of the last such run.
    ///
    /// # Errors
    /// When there are none, or no run with a readable record had these overrides.
    pub fn with(dir: &Path, profile: Option<&str>, overrides: &[String]) -> Result<Self> {
        let store = Store::open_existing(dir)?;
        let sorted = |overrides: &[String]| -> BTreeSet<String> {
            overrides.iter().map(|set| set.trim().to_owned()).collect()
        };
        let wanted = sorted(overrides);
        let fits = |run: &RunRecord| {
            profile.is_none_or(|profile| run.profile == profile) && sorted(&run.overrides) == wanted
        };
        let mut own: Vec<_> = store.runs()?.0.into_iter().filter(fits).collect();
        let Some(profile) = own.last().map(|run| run.profile.clone()) else {
            let under = profile.map_or_else(String::new, |name| format!(" under profile `{name}`"));
            let option = profile.map_or_else(String::new, |name| format!(" --profile {name}"));
            let error = Error::usage(format!("no run{under} had{} yet", set(overrides, "")));
            return Err(error.help(format!(
                "`retune run TARGET{option}{}` computes its results; `retune runs` lists the runs",
                set(overrides, "")
            )));
        };
        own.retain(|run| run.profile == profile);
        Ok(Self::of_runs(store, &profile, overrides, own))
    }

    /// The results of these runs; of two that had a stage, the later one in the list counts.
    fn of_runs(store: Store, profile: &str, overrides: &[String], runs: Vec<RunRecord>) -> Self {
        let mut endings = Endings::default();
        runs.iter().rev().for_each(|run| endings.older(run));
        let mut keys: BTreeMap<String, Digest> =
            runs.into_iter().flat_map(|run| run.stages).collect();
        let log = store.facts();
        keys.retain(|_, key| log.known().done(*key).is_some()); // the others were collected
        drop(log);
        let only = Only { profile: profile.to_owned(), overrides: overrides.to_vec(), keys };
        Self { store, only: Some(only), endings: Mutex::new(endings) }
    }

    /// The first of `stages` whose result is that of a run with overrides alone, though none were asked for, with these
    /// overrides as they are typed.
    ///
    /// # Errors
    /// When the folder of the run records cannot be read.
    pub fn overridden(&self, stages: &[String]) -> Result<Option<(String, String)>> {
        let only = self.only.as_ref();
        if only.is_some_and(|only| !only.overrides.is_empty()) {
            return Ok(None);
        }
        let ours = |run: &RunRecord| only.is_none_or(|only| only.profile == run.profile);
        let runs: Vec<RunRecord> = self.newest_runs()?.filter(ours).collect();
        let found = stages.iter().find_map(|stage| {
            let key = self.bound(stage)?;
            let mut ended = runs.iter().filter(|run| run.stages.get(stage) == Some(&key));
            let last = ended.next()?;
            let plain = last.overrides.is_empty() || ended.any(|run| run.overrides.is_empty());
            (!plain).then(|| (stage.clone(), set(&last.overrides, "").trim().to_owned()))
        });
        Ok(found)
    }

    /// The profile of the last run that ended with the current result of `stage`.
    ///
    /// # Errors
    /// When the stage has no result.
    pub fn profile_of(&self, stage: &str) -> Result<Option<String>> {
        if let Some(only) = &self.only {
            return Ok(Some(only.profile.clone()));
        }
        let key = self.key(stage)?;
        let run = self.newest_runs()?.find(|run| run.stages.get(stage) == Some(&key));
        Ok(run.map(|run| run.profile))
    }

    /// The runs whose records can be read, the last one first.
    fn newest_runs(&self) -> Result<impl Iterator<Item = RunRecord>> {
        let ids = self.store.run_ids()?.into_iter().rev();
        Ok(ids.filter_map(|id| self.store.run_record(id).ok()))
    }

    /// The profile that the current result of `stage` is of, if the last run had another and did not end with it: after an
    /// interrupted run, or one of other stages.
    ///
    /// # Errors
    /// When the stage has no result.
    pub fn other_profile_of(&self, stage: &str) -> Result<Option<String>> {
        if self.only.is_some() {
            return Ok(None);
        }
        let last = self.newest_runs()?.next().map(|run| run.profile);
        Ok(self.profile_of(stage)?.filter(|profile| last.as_ref() != Some(profile)))
    }

    /// The names of all stages with the keys of their results, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<(String, Digest)> {
        if let Some(Only { keys, .. }) = &self.only {
            return keys.iter().map(|(name, key)| (name.clone(), *key)).collect();
        }
        let log = self.store.facts();
        log.known().names().into_iter().map(|(name, key)| (name.to_owned(), key)).collect()
    }

    /// The names of the stages that match `pattern` (a name, a prefix, or a pattern with `*`), sorted,
    /// including those that have no result because a stage is unavailable.
    #[must_use]
    pub fn stages(&self, pattern: &str) -> Vec<String> {
        let mut names: BTreeSet<String> = self.keys().into_iter().map(|(name, _)| name).collect();
        names.extend(self.endings().lacking(&self.store));
        names.into_iter().filter(|name| matches(pattern, name)).collect()
    }

    /// The experiments that have a stage `EXPERIMENT/stage`, sorted; a stage of that name further down does not
    /// count.
    #[must_use]
    pub fn experiments_with(&self, stage: &str) -> Vec<String> {
        let names = self.stages(&format!("*/{stage}"));
        let id = |name: &String| {
            name.split_once('/').filter(|(_, own)| *own == stage).map(|(id, _)| id.to_owned())
        };
        names.iter().filter_map(id).collect()
    }

    /// The store that holds them.
    #[cfg(feature = "cli")]
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    fn endings(&self) -> std::sync::MutexGuard<'_, Endings> {
        self.endings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key under which the log or the profile's runs know the stage's result, whether or not the result
    /// exists.
    fn bound(&self, stage: &str) -> Option<Digest> {
        match &self.only {
            Some(only) => only.keys.get(stage).copied(),
            None => self.store.facts().known().key_of(stage),
        }
    }

    /// Which of `roots` are still unavailable, and why: those that the last run that wanted them could not get.
    /// The log alone is not enough, since of several stages with the same key it names only one.
    fn still(&self, endings: &mut Endings, roots: Vec<(String, Digest)>) -> Vec<Absence> {
        let mut found = Vec::new();
        for root in roots {
            let ending = endings.find(&self.store, &root.0);
            let later = ending.is_some_and(|ending| ending.root.as_ref() != Some(&root));
            if later && self.bound(&root.0) != Some(root.1) {
                continue; // since that run it has another key, and perhaps a result
            }
            if let Some(why) = self.store.facts().known().unavailable(root.1) {
                found.push(Absence { why: why.to_owned(), stage: root.0 });
            }
        }
        found
    }

    /// Why `stage` has no result: first the stage itself or the unavailable stage that it needs, then what that
    /// stage was tried without. Empty if it has a result, or if nothing is known about it.
    #[must_use]
    pub fn absence(&self, stage: &str) -> Vec<Absence> {
        let mut endings = self.endings();
        let told = endings.find(&self.store, stage).and_then(|ending| ending.root.clone());
        let own = || self.bound(stage).map(|key| (stage.to_owned(), key));
        // If no run has reported it yet, the log has.
        let root = told.or_else(|| own().filter(|_| self.only.is_none()));
        let mut causes = self.still(&mut endings, root.into_iter().collect());
        if let Some(first) = causes.first() {
            let ending = endings.find(&self.store, &first.stage);
            let without = ending.map_or_else(Vec::new, |ending| ending.without.clone());
            causes.extend(self.still(&mut endings, without));
        }
        causes
    }

    /// What the current result of `stage`, or anything that it read, was computed without. Empty if it has no
    /// result, or if no run has ended with it.
    #[must_use]
    pub fn without(&self, stage: &str) -> Vec<Absence> {
        let bound = self.bound(stage);
        let mut endings = self.endings();
        let ending = endings.find(&self.store, stage);
        let own = |ending: &&Ending| ending.key.is_some() && ending.key == bound;
        let without = ending.filter(own).map_or_else(Vec::new, |ending| ending.without.clone());
        self.still(&mut endings, without)
    }

    /// The key of the stage's result.
    ///
    /// # Errors
    /// When the stage has no result.
    pub fn key(&self, stage: &str) -> Result<Digest> {
        if let Some(first) = self.absence(stage).first() {
            let told = if first.stage == stage {
                first.to_string()
            } else {
                format!("stage {stage} has no result, since {first}")
            };
            return Err(Error::new(Exit::Store, told));
        }
        if let Some(key) = self.bound(stage)
            && self.store.facts().known().done(key).is_some()
        {
            return Ok(key);
        }
        let names = self.stages("*");
        let near = near(stage, names.iter().map(String::as_str));
        let under = self.only.as_ref().map(Only::words).unwrap_or_default();
        let error = Error::usage(format!("no result of stage `{stage}`{under}{near}"));
        Err(match self.only.as_ref().filter(|only| !only.overrides.is_empty()) {
            Some(Only { profile, overrides, .. }) => error.help(format!(
                "`retune run {stage} --profile {profile}{}` computes it",
                set(overrides, "")
            )),
            None => error.help("`retune run` computes it; `retune status` lists what is there"),
        })
    }

    /// The stages that `target` names, sorted: one by its name, otherwise those that match it as a prefix or as
    /// a pattern with `*`.
    ///
    /// # Errors
    /// When it matches none; the message gives the nearest name.
    pub fn matching(&self, target: &str) -> Result<Vec<String>> {
        if self.bound(target).is_some() {
            return Ok(vec![target.to_owned()]);
        }
        let found = self.stages(target);
        if found.is_empty() {
            self.key(target)?;
        }
        Ok(found)
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

    /// The path of an output.
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
        let disk = self.store.disk();
        match table::read_checked(disk, &path, artifact.digest) {
            Ok(read) => {
                read.map_err(|found| store::corrupt(disk, &path, stage, artifact.digest, found))
            }
            Err(_) if store::is_missing(disk, &path) => Err(store::missing(&path, stage)),
            Err(error) => Err(error),
        }
    }
}
