//! `diff`: what changed between two runs, and which results moved.

use std::fmt::Write;

use super::{Session, plan::words};
use crate::{
    error::{Error, Result},
    plan::Reason,
    store::record::Record,
};

pub(super) fn diff(session: &Session, runs: &[u64]) -> Result<()> {
    let store = session.store()?;
    let ids = store.run_ids();
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
    let mut text = format!("run {} ({}) → run {} ({})\n", a.id, a.profile, b.id, b.profile);
    let (mut same, mut moved) = (0, 0);
    for (name, key) in &b.stages {
        let Some(before) = a.stages.get(name) else {
            let _ = writeln!(text, "added    {name}");
            continue;
        };
        if before == key {
            same += 1;
            continue;
        }
        let (Some(old), Some(new)) = (records.get(*before), records.get(*key)) else { continue };
        moved += 1;
        let _ = writeln!(text, "changed  {name}");
        let changes = new.manifest.changes_since(&old.manifest);
        for line in words(&Reason::Changed { changes }) {
            let _ = writeln!(text, "           {line}");
        }
        let _ = writeln!(text, "           outputs: {}", outputs(old, new));
    }
    for name in a.stages.keys().filter(|name| !b.stages.contains_key(*name)) {
        let _ = writeln!(text, "removed  {name}");
    }
    let _ = writeln!(text, "{moved} stages changed, {same} are the same");
    session.print(&text)
}

fn outputs(old: &Record, new: &Record) -> String {
    let moved: Vec<_> = new
        .outputs
        .iter()
        .map(|(name, digest)| {
            let same = old.outputs.iter().any(|(n, d)| n == name && d == digest);
            format!("{name} {}", if same { "the same" } else { "moved" })
        })
        .collect();
    moved.join(", ")
}
