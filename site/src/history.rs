//! What the runs recorded in a store computed, what they found there, and why: from the run records
//! and the manifests of what was computed. Draws nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use pipeline::{
    digest::Digest,
    manifest::Change,
    store::{
        Store,
        record::{Record, Records},
        runs::RunRecord,
    },
};

use crate::{error::Result, fold::folded};

/// How a run came by the result of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was there already.
    Cached,
    /// Nothing was known under the stage's name.
    New,
    /// Something that the result depends on was another when the stage was last computed.
    Changed(Vec<Change>),
    /// The key was known: the result was missing, corrupt, or asked for again.
    Again,
}

/// One run, with the origin of every stage that it ended with.
pub struct Run {
    /// As recorded.
    pub record: RunRecord,
    /// Stage name → how its result came about.
    pub origins: BTreeMap<String, Origin>,
}

/// The runs of a store, oldest first, and the records of what they computed.
pub struct History {
    /// The runs.
    pub runs: Vec<Run>,
    /// What was computed.
    pub records: Records,
}

impl History {
    /// Reads the history of `store`.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn of(store: &Store) -> Result<Self> {
        let records = store.records()?;
        let (mut seen, mut last): (HashSet<Digest>, HashMap<String, Digest>) = Default::default();
        let mut before = 0;
        let mut runs = Vec::new();
        for record in store.runs()? {
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

/// The computed stages of one sweep, with what moved them.
#[derive(Debug, PartialEq)]
pub struct Sweep {
    /// The name, with `*` for what is swept.
    pub name: String,
    /// How many of it were computed.
    pub computed: usize,
    /// How many were there.
    pub cached: usize,
    /// Wall seconds of those computed, together.
    pub seconds: f64,
    /// Why, the most frequent reason first.
    pub why: Vec<String>,
}

impl Run {
    /// How many stages this run computed.
    #[must_use]
    pub fn computed(&self) -> usize {
        self.origins.values().filter(|origin| **origin != Origin::Cached).count()
    }

    /// The sweeps of which this run computed something, by name.
    #[must_use]
    pub fn sweeps(&self, records: &Records) -> Vec<Sweep> {
        let mut sweeps: BTreeMap<String, (Sweep, BTreeMap<String, usize>)> = BTreeMap::new();
        for (name, origin) in &self.origins {
            let name_of = folded(name);
            let (sweep, reasons) = sweeps.entry(name_of.clone()).or_insert_with(|| {
                let sweep =
                    Sweep { name: name_of, computed: 0, cached: 0, seconds: 0.0, why: Vec::new() };
                (sweep, BTreeMap::new())
            });
            if *origin == Origin::Cached {
                sweep.cached += 1;
                continue;
            }
            sweep.computed += 1;
            let made = self.record.stages.get(name).and_then(|key| records.get(*key));
            sweep.seconds += made.map_or(0.0, |made: &Record| made.cost.wall_s);
            for reason in reasons_of(origin) {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let told = sweeps.into_values().filter(|(sweep, _)| sweep.computed > 0);
        told.map(|(mut sweep, reasons)| {
            let mut reasons: Vec<_> = reasons.into_iter().collect();
            reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let all = sweep.computed;
            let word =
                |(why, n): (String, usize)| if n == all { why } else { format!("{why} ({n})") };
            sweep.why = reasons.into_iter().map(word).collect();
            sweep
        })
        .collect()
    }
}

/// The reasons in words, without values that differ from stage to stage of a sweep.
fn reasons_of(origin: &Origin) -> Vec<String> {
    match origin {
        Origin::Cached => Vec::new(),
        Origin::New => vec!["new: nothing was recorded under this name".to_owned()],
        Origin::Again => vec!["again: missing, corrupt or asked for".to_owned()],
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
            change("input split", Some("aa"), Some("bb")),
            change("input extra", None, Some("bb")),
            change("code of stages::tuners::grid", Some("1"), Some("2")),
            change("params.points", Some("20"), Some("5")),
        ];
        let words: Vec<_> = reasons.iter().map(reason).collect();
        assert_eq!(
            words,
            [
                "input split came out different",
                "reads extra now",
                "code of stages::tuners::grid changed",
                "params.points: 20 → 5"
            ]
        );
    }
}
