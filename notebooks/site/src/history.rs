//! The history of the runs recorded in a store: what they computed, what was already there, and why, from the
//! run records and the manifests of computed stages.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pipeline::{
    digest::Digest,
    fold::folded,
    manifest::Change,
    store::{Store, record::Records, runs::RunRecord},
};

use crate::error::Result;

/// The origin of a stage's result in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The result existed already.
    Cached,
    /// No result was recorded under the stage's name.
    New,
    /// Something that the result depends on has changed since the stage was last computed.
    Changed(Vec<Change>),
    /// The key was known, but the result was missing, corrupt, or forced.
    Again,
}

/// One run, with the origin of every stage at its end.
pub struct Run {
    /// The run as recorded.
    pub record: RunRecord,
    /// Stage name → origin of its result.
    pub origins: BTreeMap<String, Origin>,
}

/// The runs of a store, oldest first, and the records of what they computed.
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
    /// The computations.
    pub records: Records,
}

impl History {
    /// Reads the history of `store`.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub fn of(store: &Store) -> Result<Self> {
        let records = store.records()?;
        let (mut seen, mut last): (HashSet<Digest>, HashMap<String, Digest>) = Default::default();
        let mut before = 0;
        let mut runs = Vec::new();
        for record in store.runs()?.0 {
            let origin = |name: &str, key: Digest| {
                let computed = records.get(key).is_some_and(|made| {
                    made.finished > before || made.finished == before && !seen.contains(&key)
                });
                match last.get(name) {
                    _ if !computed => Origin::Cached,
                    None => Origin::New,
                    Some(old) if *old == key => Origin::Again,
                    Some(old) => changed(&records, *old, key),
                }
            };
            let origins =
                record.stages.iter().map(|(name, key)| (name.clone(), origin(name, *key)));
            let origins = origins.collect();
            before = record.finished;
            seen.extend(record.stages.values());
            last.extend(record.stages.iter().map(|(name, key)| (name.clone(), *key)));
            runs.push(Run { record, origins });
        }
        Ok(Self { runs, records })
    }

    /// The last run that ended with `stage`.
    #[must_use]
    pub fn last_with(&self, stage: &str) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.record.stages.contains_key(stage))
    }
}

fn changed(records: &Records, old: Digest, new: Digest) -> Origin {
    match (records.get(old), records.get(new)) {
        (Some(old), Some(new)) => Origin::Changed(new.manifest.changes_since(&old.manifest)),
        _ => Origin::New,
    }
}

/// The stages that a run computed for the same reasons.
#[derive(Debug, PartialEq)]
pub struct Group {
    /// The reasons, shown once for all stages.
    pub why: Vec<String>,
    /// Number of reasons beyond those that are shown.
    pub more: usize,
    /// The sweeps, and the number of stages of each.
    pub sweeps: BTreeMap<String, usize>,
    /// Number of stages.
    pub computed: usize,
    /// Their total wall seconds.
    pub seconds: f64,
}

/// Maximum number of reasons shown for one group; a stage that gathers tables may have hundreds.
const REASONS: usize = 8;

impl Run {
    /// The number of stages that this run computed.
    #[must_use]
    pub fn computed(&self) -> usize {
        self.origins.values().filter(|origin| **origin != Origin::Cached).count()
    }

    /// The computed stages of this run by reason, the largest group first.
    #[must_use]
    pub fn groups(&self, records: &Records) -> Vec<Group> {
        let mut groups: BTreeMap<BTreeSet<String>, Group> = BTreeMap::new();
        for (name, origin) in self.origins.iter().filter(|(_, o)| **o != Origin::Cached) {
            let reasons = reasons_of(origin);
            let told: Vec<String> = reasons.iter().take(REASONS).cloned().collect();
            let more = reasons.len() - told.len();
            let group = groups.entry(reasons).or_insert_with(|| {
                let sweeps = BTreeMap::new();
                Group { why: told, more, sweeps, computed: 0, seconds: 0.0 }
            });
            let made = self.record.stages.get(name).and_then(|key| records.get(*key));
            *group.sweeps.entry(folded(name)).or_default() += 1;
            group.computed += 1;
            group.seconds += made.map_or(0.0, |made| made.cost.wall_s);
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.computed));
        groups
    }
}

/// The reasons in words, with sweeps folded.
fn reasons_of(origin: &Origin) -> BTreeSet<String> {
    match origin {
        Origin::Cached => BTreeSet::new(),
        Origin::New => BTreeSet::from(["new: nothing was recorded under this name".to_owned()]),
        Origin::Again => BTreeSet::from(["again: missing, corrupt or asked for".to_owned()]),
        Origin::Changed(changes) => changes.iter().map(reason).collect(),
    }
}

fn reason(change: &Change) -> String {
    let what = &change.what;
    let brief = |value: &Option<String>| match value {
        None => "none".to_owned(),
        Some(text) if text.chars().count() > 24 => {
            format!("{}…", text.chars().take(23).collect::<String>())
        }
        Some(text) => text.clone(),
    };
    if let Some(role) = what.strip_prefix("input ") {
        let role = folded(role);
        return match (&change.old, &change.new) {
            (None, _) => format!("reads {role} now"),
            (_, None) => format!("reads {role} no longer"),
            _ => format!("input {role} came out different"),
        };
    }
    if what.starts_with("code of ") || what == "seed" || what.starts_with("file ") {
        return format!("{what} changed");
    }
    format!("{what}: {} → {}", brief(&change.old), brief(&change.new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(what: &str, old: Option<&str>, new: Option<&str>) -> Change {
        let text = |value: Option<&str>| value.map(str::to_owned);
        Change { what: what.to_owned(), old: text(old), new: text(new) }
    }

    #[test]
    fn reasons_name_what_moved_a_stage() {
        let reasons = [
            change("input split=3", Some("aa"), Some("bb")),
            change("input extra", None, Some("bb")),
            change("code of stages::tuners::grid", Some("1"), Some("2")),
            change("params.points", Some("20"), Some("5")),
        ];
        let words: Vec<_> = reasons.iter().map(reason).collect();
        assert_eq!(
            words,
            [
                "input split=* came out different",
                "reads extra now",
                "code of stages::tuners::grid changed",
                "params.points: 20 → 5"
            ]
        );
    }
}
