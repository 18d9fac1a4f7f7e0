//! `diff`: what changed between two runs, which results moved, and by how much.

use std::fmt::Write;

use serde::Serialize;

use super::{Session, plan::words};
use crate::{
    digest::Digest,
    error::{Error, Result},
    manifest::Change,
    plan::Reason,
    provenance::moved::{Difference, compare},
    store::{Store, record::Record},
    table,
};

/// Two runs side by side.
#[derive(Serialize)]
struct Report {
    old: u64,
    new: u64,
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<Changed>,
    same: usize,
}

/// A stage whose key is another one.
#[derive(Serialize)]
struct Changed {
    stage: String,
    changes: Vec<Change>,
    outputs: Vec<Output>,
}

#[derive(Serialize)]
struct Output {
    output: String,
    moved: bool,
    /// None where one of the tables is no longer there.
    difference: Option<Difference>,
}

pub(super) fn diff(session: &Session, runs: &[u64], json: bool) -> Result<()> {
    let store = session.store()?;
    let ids = store.run_ids()?;
    let (a, b) = match (runs, ids.as_slice()) {
        ([a, b], _) => (*a, *b),
        ([a], [.., last]) => (*a, *last),
        ([], [.., a, b]) => (*a, *b),
        _ => {
            return Err(Error::usage(format!("fewer than two runs are recorded: {ids:?}"))
                .help("a run is recorded when its stages' keys differ from the run before"));
        }
    };
    let (a, b) = (store.run_record(a)?, store.run_record(b)?);
    let records = store.records()?;
    let missing =
        |stages: &std::collections::BTreeMap<String, Digest>, others: &_| -> Vec<String> {
            let others: &std::collections::BTreeMap<String, Digest> = others;
            stages.keys().filter(|name| !others.contains_key(*name)).cloned().collect()
        };
    let mut report = Report {
        old: a.id,
        new: b.id,
        added: missing(&b.stages, &a.stages),
        removed: missing(&a.stages, &b.stages),
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
        report.changed.push(Changed {
            stage: name.clone(),
            changes: new.manifest.changes_since(&old.manifest),
            outputs: outputs(&store, old, new),
        });
    }
    if json {
        return session.print_json(&report);
    }
    let head = format!("run {} ({}) → run {} ({})\n", a.id, a.profile, b.id, b.profile);
    session.print_words(&(head + &report.words()))
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

impl Report {
    fn words(&self) -> String {
        let mut text = String::new();
        for name in &self.added {
            let _ = writeln!(text, "added    {name}");
        }
        for changed in &self.changed {
            let _ = writeln!(text, "changed  {}", changed.stage);
            let reason = Reason::Changed { changes: changed.changes.clone() };
            for line in words(&reason) {
                let _ = writeln!(text, "           {line}");
            }
            let moved = |output: &Output| {
                format!("{} {}", output.output, if output.moved { "moved" } else { "the same" })
            };
            let outputs: Vec<_> = changed.outputs.iter().map(moved).collect();
            let _ = writeln!(text, "           outputs: {}", outputs.join(", "));
            for output in &changed.outputs {
                if let Some(difference) = &output.difference {
                    differences(&mut text, &output.output, difference);
                }
            }
        }
        for name in &self.removed {
            let _ = writeln!(text, "removed  {name}");
        }
        let _ = writeln!(text, "{} stages changed, {} are the same", self.changed.len(), self.same);
        text
    }
}

fn differences(text: &mut String, output: &str, difference: &Difference) {
    let mut line = |what: String| {
        let _ = writeln!(text, "             {output}: {what}");
    };
    let (before, after) = difference.rows;
    if before != after {
        line(format!("{before} → {after} rows"));
    }
    for name in &difference.gone {
        line(format!("column {name} is gone"));
    }
    for name in &difference.came {
        line(format!("column {name} is new"));
    }
    for moved in &difference.moved {
        let rows = format!("{} of {} rows", moved.rows, before.min(after));
        match moved.most {
            None => line(format!("{}: {rows} differ", moved.column)),
            Some(most) => line(format!(
                "{}: {rows} differ, most in row {}: {} → {} ({:+.3e})",
                moved.column,
                most.row,
                most.old,
                most.new,
                most.new - most.old
            )),
        }
    }
}
