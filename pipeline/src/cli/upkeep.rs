//! `verify` and `gc`.

use std::fmt::Write;

use super::{Session, session::words::count};
use crate::{
    error::{Error, Exit, Result},
    machine,
    plan::{Options, Plan, State},
    store::{
        compact::{self, Compacted},
        gc::Keep,
        verify::Depth,
    },
};

pub(super) fn verify(session: &Session, deep: bool, sample: Option<f64>) -> Result<()> {
    let store = session.store()?;
    let depth = match sample {
        _ if deep => Depth::All,
        Some(percent) => share(percent),
        None => Depth::Stamps,
    };
    let report = store.verify(depth)?;
    let mut text = String::new();
    for finding in &report.findings {
        let _ =
            writeln!(text, "{:8} {} ({})", finding.problem, finding.path.display(), finding.output);
    }
    if report.dropped_log_lines > 0 {
        let _ = writeln!(text, "{} garbled log lines were dropped", report.dropped_log_lines);
    }
    if sample.is_some() {
        let _ = writeln!(text, "{} hashed", count(report.hashed, "artifact"));
    }
    let checked = count(report.checked, "artifact");
    let _ = writeln!(text, "{checked} checked, {} wrong", report.findings.len());
    session.print(&text)?;
    match report.findings.len() {
        0 => Ok(()),
        n => Err(Error::new(Exit::Failed, format!("{} missing or corrupt", count(n, "artifact")))
            .help("`retune run` recomputes those that are still asked for")),
    }
}

/// This percentage of the artifacts, different ones each time.
pub(super) fn share(percent: f64) -> Depth {
    Depth::Sample((percent * 100.0).round() as u64, machine::now())
}

pub(super) fn gc(session: &Session, dry: bool) -> Result<()> {
    let store = session.store()?;
    let alone = store.alone()?;
    let mut keep = Keep::default();
    let (runs, garbled) = store.runs()?;
    // It may have been pinned: nothing is removed before that is known.
    if let Some(error) = garbled.into_iter().next() {
        return Err(error);
    }
    let pinned: Vec<_> = runs.iter().filter(|run| run.pinned).collect();
    keep.pinned.extend(pinned.iter().flat_map(|run| run.stages.values()));
    for profile in session.profiles()? {
        let graph = session.graph_of(&profile)?;
        let plan = Plan::new(&graph, &vec![true; graph.len()], &store, Options::default())?;
        keep.ahead.extend(graph.order().iter().filter_map(|&id| match plan.state(id) {
            State::Stale(key, _) => Some(*key),
            _ => None,
        }));
        let log = store.facts();
        let last = runs.iter().rev().find(|run| run.profile == profile);
        for &id in graph.order() {
            match plan.state(id) {
                State::Fresh(key, _) => keep.current.extend([*key]),
                // Its inputs may come out as before, in which case its result is still valid: keep the last one under
                // any profile and the last one under this profile.
                State::Waiting(_) | State::Blocked(_) => {
                    let name = &graph[id].name;
                    keep.current.extend(log.known().key_of(name));
                    keep.current.extend(last.and_then(|run| run.stages.get(name)));
                }
                _ => {}
            }
        }
    }
    let garbage = store.collect_garbage(&alone, &keep, dry)?;
    let log = store.compact(&alone, compact::LEAST, dry)?;
    let verb = if dry { "would remove" } else { "removed" };
    let mut text = String::new();
    if dry {
        for file in &garbage.files {
            let _ = writeln!(text, "{}", file.display());
        }
    }
    if let Some(Compacted { before, after }) = log {
        let verb = if dry { "would compact" } else { "compacted" };
        let _ = writeln!(text, "{verb} the log from {} to {}", mib(before), mib(after));
    }
    let (files, kept) = (count(garbage.files.len(), "file"), garbage.kept);
    let _ = write!(text, "{verb} {files}, {}; {kept} kept", mib(garbage.bytes));
    if !pinned.is_empty() {
        let ids: Vec<_> = pinned.iter().map(|run| run.id.to_string()).collect();
        let (objects, bytes) = garbage.pinned;
        let _ = write!(
            text,
            ", of these {objects} ({}) only for pinned runs: {}",
            mib(bytes),
            ids.join(", ")
        );
    }
    text.push('\n');
    session.print(&text)
}

fn mib(bytes: u64) -> String {
    let mib = bytes as f64 / f64::from(1 << 20);
    format!("{mib:.1} MiB")
}
