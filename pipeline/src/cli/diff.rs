//! `diff`: what changed between two runs, which verdicts and results moved, and by how much.

mod verdicts;
mod words;

use serde::Serialize;

use self::verdicts::Turn;
use super::{Session, args::Diff};
use crate::{
    error::{Error, Result},
    graph::matches,
    manifest::Change,
    provenance::moved::{Difference, compare},
    store::{Store, record::Record, runs::RunRecord},
    table,
};

/// Two runs side by side.
#[derive(Serialize)]
struct Report {
    old: u64,
    new: u64,
    /// The conclusions of the experiments that changed.
    verdicts: Vec<Turn>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Stages that only the earlier run was asked for, and only the later one.
    only_old: Vec<String>,
    only_new: Vec<String>,
    changed: Vec<Changed>,
    same: usize,
}

/// A stage whose key changed.
#[derive(Serialize)]
struct Changed {
    stage: String,
    changes: Vec<Change>,
    outputs: Vec<Output>,
}

impl Changed {
    fn moved(&self) -> bool {
        self.outputs.iter().any(|output| output.moved)
    }
}

#[derive(Serialize)]
struct Output {
    output: String,
    moved: bool,
    /// `None` if one of the tables no longer exists.
    difference: Option<Difference>,
}

pub(super) fn diff(session: &Session, args: &Diff) -> Result<()> {
    let store = session.store()?;
    let (a, b) = pair(session, &store, &args.runs)?;
    let records = store.records()?;
    let missing = |run: &RunRecord, other: &RunRecord| {
        let names = run.stages.keys().filter(|name| !other.stages.contains_key(*name)).cloned();
        names.partition::<Vec<_>, _>(|name| asked(other, name))
    };
    let ((added, only_new), (removed, only_old)) = (missing(&b, &a), missing(&a, &b));
    let mut report = Report {
        old: a.id,
        new: b.id,
        verdicts: Vec::new(),
        added,
        removed,
        only_old,
        only_new,
        changed: Vec::new(),
        same: 0,
    };
    for (name, key) in &b.stages {
        let Some(before) = a.stages.get(name) else { continue };
        if before == key {
            report.same += 1;
            continue;
        }
        let (Some(old), Some(new)) = (records.get(*before), records.get(*key)) else { continue };
        if verdicts::concludes(session, name) {
            report.verdicts.extend(verdicts::turns(session, &store, name, old, new));
        }
        report.changed.push(Changed {
            stage: name.clone(),
            changes: new.manifest.changes_since(&old.manifest),
            outputs: outputs(&store, old, new),
        });
    }
    // Stable: what moved comes first, and each group is in the order of names.
    report.changed.sort_by_key(|changed| !changed.moved());
    if args.json {
        return session.print_json(&report);
    }
    let head = format!("run {} ({}) → run {} ({})\n", a.id, a.profile, b.id, b.profile);
    session.print_words(&(head + &report.words(args.all)))
}

/// Whether a run was asked for a stage that it did not end with. What its targets need is not known here; a run from
/// before targets were recorded counts as one of all stages.
fn asked(run: &RunRecord, stage: &str) -> bool {
    let targets = run.targets.as_deref().unwrap_or_default();
    targets.is_empty() || targets.iter().any(|target| matches(target, stage))
}

/// The runs to compare, the earlier one first: those that are named, otherwise the last two of one profile.
fn pair(session: &Session, store: &Store, named: &[u64]) -> Result<(RunRecord, RunRecord)> {
    if let [a, b] = named {
        return Ok((store.run_record(*a)?, store.run_record(*b)?));
    }
    let given = named.first().map(|id| store.run_record(*id)).transpose()?;
    let (runs, _) = store.runs()?;
    let last = runs.last().map(|run| run.profile.clone());
    let asked = session.asked_profile().map(str::to_owned);
    let profile = given.as_ref().map(|run| run.profile.clone()).or(asked).or(last);
    let profile = profile.unwrap_or_else(|| session.profile().to_owned());
    let given_id = given.as_ref().map(|run| run.id);
    let mut others = runs.into_iter().rev();
    let mut next = || others.find(|run| run.profile == profile && Some(run.id) != given_id);
    let (new, old) = match given {
        None => (next(), next()),
        Some(given) => match next() {
            Some(other) if other.id < given.id => (Some(given), Some(other)),
            other => (other, Some(given)),
        },
    };
    match (old, new) {
        (Some(old), Some(new)) => Ok((old, new)),
        _ => Err(Error::usage(format!("fewer than two runs are recorded under profile {profile}"))
            .help(
                "a run is recorded when its stages' keys differ from the run before; `runs` lists \
                 them, and two of any profile can be named by their numbers",
            )),
    }
}

fn outputs(store: &Store, old: &Record, new: &Record) -> Vec<Output> {
    let each = new.outputs.iter().map(|(name, digest)| {
        let before = old.outputs.iter().find(|(n, _)| n == name).map(|(_, digest)| *digest);
        let moved = before != Some(*digest);
        let difference = before.filter(|_| moved).and_then(|before| {
            let read = |digest| table::read(&store.object(digest)).ok();
            Some(compare(&read(before)?, &read(*digest)?))
        });
        Output { output: name.clone(), moved, difference }
    });
    each.collect()
}
