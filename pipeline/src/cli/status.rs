//! `status`: every stage by state, once, or again every second.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write,
    io::{IsTerminal, stdout},
    thread,
    time::Duration,
};

use super::{
    Session, Tone,
    args::{Listing, Status},
    plan::{Report, grouped, rows, shown_as, summary},
    session::json,
};
use crate::{
    digest::Digest,
    error::Result,
    plan::{Options, Plan},
};

/// How long a watched status is shown before the next one.
const PAUSE: Duration = Duration::from_secs(1);
/// Moves to the top left and clears everything below.
const CLEAR: &str = "\x1b[H\x1b[2J";

pub(super) fn status(session: &Session, args: &Status) -> Result<()> {
    if !(args.watch && stdout().is_terminal()) {
        let (text, _) = look(session, &args.listing)?;
        return if args.listing.json { session.print(&text) } else { session.print_words(&text) };
    }
    loop {
        let (text, settled) = look(session, &args.listing)?;
        session.print(CLEAR)?;
        session.print_words(&text)?;
        if settled {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
}

/// The text of one status, and whether everything is up to date.
fn look(session: &Session, args: &Listing) -> Result<(String, bool)> {
    let (graph, store) = session.graph_and_store()?;
    let plan =
        Plan::new(&graph, &session.select(&graph, &args.targets)?, &store, Options::default())?;
    let counts = plan.counts();
    let settled = counts.stale + counts.waiting == 0;
    let mut stages = rows(&graph, &plan, |_| true);
    let now: HashSet<_> = store.computed_now().iter().map(Digest::to_string).collect();
    for row in stages.iter_mut().filter(|row| row.state == "stale") {
        if row.key.as_ref().is_some_and(|key| now.contains(key)) {
            row.state = "running";
        }
    }
    if args.json {
        let profile = session.profile().into();
        let report = Report { profile, counts, estimate: None, parts: BTreeMap::new(), stages };
        return Ok((json(&report)?, settled));
    }
    let mut text = format!("profile {}\n", session.profile());
    for (name, rows) in grouped(stages, |row| shown_as(row, args.all)) {
        let mut parts = Vec::new();
        for word in ["fresh", "running", "stale", "waiting", "unavailable", "blocked"] {
            match rows.iter().filter(|row| row.state == word).count() {
                0 => {}
                1 if rows.len() == 1 => parts.push(Tone::of_state(word).paint(word)),
                n => parts.push(format!("{n} {}", Tone::of_state(word).paint(word))),
            }
        }
        let _ = writeln!(text, "{name:56} {}", parts.join(", "));
    }
    text.push_str(&summary(counts));
    Ok((text, settled))
}
