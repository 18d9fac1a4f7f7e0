//! `runs`, `pin`, `unpin`: which runs this store has, and which of them are kept for good.

use std::{fmt::Write, time::Duration};

use super::Session;
use crate::{error::Result, machine};

pub(super) fn list(session: &Session, json: bool) -> Result<()> {
    let (runs, garbled) = session.store()?.runs()?;
    if json {
        return session.print_json(&runs);
    }
    let mut text = String::new();
    for run in &runs {
        let age = Duration::from_secs(machine::now().saturating_sub(run.finished));
        let age = indicatif::HumanDuration(age).to_string();
        let pinned = if run.pinned { "pinned" } else { "" };
        let set: String = run.overrides.iter().map(|set| format!(" --set {set}")).collect();
        let targets = run.targets.iter().flatten().map(|target| format!(" {target}"));
        let targets = targets.collect::<String>();
        let (id, profile, stages) = (run.id, &run.profile, run.stages.len());
        let _ = writeln!(
            text,
            "{id:>5}  {age:>12} ago  {stages:>6} stages  {pinned:6}  {profile}{set}{targets}"
        );
    }
    if runs.is_empty() && garbled.is_empty() {
        text.push_str("nothing was run in this store\n");
    }
    session.print(&text)?;
    match garbled.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

pub(super) fn pin(session: &Session, id: u64, pinned: bool) -> Result<()> {
    let store = session.store()?;
    let _present = store.present()?;
    store.pin(id, pinned)?;
    if !pinned {
        return session
            .print(&format!("run {id} is not pinned: `retune gc` may remove its results\n"));
    }
    let run = store.run_record(id)?;
    let log = store.facts();
    let there = run.stages.values().filter(|key| log.known().done(**key).is_some()).count();
    let all = run.stages.len();
    let mut text =
        format!("run {id} is pinned: `retune gc` keeps the results of its {all} stages\n");
    if there < all {
        let _ = writeln!(text, "{} of them were removed before", all - there);
    }
    session.print(&text)
}
