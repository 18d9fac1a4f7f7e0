//! `plan` and `why`: what a run would do, and for what reason.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write,
    hash::Hash,
    mem::ManuallyDrop,
};

use serde::Serialize;

use super::{Session, Tone, args::Planning, session::words::count};
use crate::{
    error::Result,
    estimate::{
        Estimate,
        beyond::{beyond, part},
    },
    fold::folded,
    graph::{Graph, Id},
    plan::{Counts, Options, Plan, Reason, State},
};

/// One stage of a listing.
#[derive(Serialize)]
pub(super) struct Row {
    pub stage: String,
    kind: &'static str,
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A listing for machines.
#[derive(Serialize)]
pub(super) struct Report {
    pub profile: String,
    pub counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, Estimate>,
    pub stages: Vec<Row>,
}

/// How many inputs of a waiting stage are named.
const SHOWN: usize = 6;

/// A state's name in listings.
pub(super) fn word(state: &State) -> &'static str {
    match state {
        State::Unwanted => "unwanted",
        State::Waiting(_) => "waiting",
        State::Stale(..) => "stale",
        State::Running(_) => "running",
        State::Fresh(..) => "fresh",
        State::Unavailable(..) => "unavailable",
        State::Failed(_) => "failed",
        State::Blocked(_) => "blocked",
    }
}

fn row(graph: &Graph, id: Id, state: &State) -> Row {
    let node = &graph[id];
    let (key, why, note) = match state {
        State::Fresh(key, _) | State::Running(key) => (Some(key), None, None),
        State::Stale(key, why) => (Some(key), Some(why.clone()), None),
        State::Unavailable(key, why) => (Some(key), None, Some(why.clone())),
        State::Waiting(on) => {
            let mut names: Vec<_> = on.iter().map(|&id| folded(&graph[id].name)).collect();
            names.sort();
            names.dedup();
            let more = names.len().saturating_sub(SHOWN);
            names.truncate(SHOWN);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            (None, None, Some(format!("runs if an input changes: {}{rest}", names.join(", "))))
        }
        State::Blocked(root) => (None, None, Some(format!("needs {}", graph[*root].name))),
        State::Unwanted | State::Failed(_) => (None, None, None),
    };
    let key = key.map(ToString::to_string);
    Row { stage: node.name.clone(), kind: node.kind, state: word(state), key, why, note }
}

/// The wanted stages whose state is `shown`, in graph order.
pub(super) fn rows(graph: &Graph, plan: &Plan, shown: impl Fn(Id) -> bool) -> Vec<Row> {
    let state = |id: Id| plan.state(id);
    let wanted = graph.order().iter().filter(|&&id| !matches!(state(id), State::Unwanted));
    wanted.filter(|&&id| shown(id)).map(|&id| row(graph, id, state(id))).collect()
}

/// A reason in words, one line per change.
pub(super) fn words(why: &Reason) -> Vec<String> {
    let side = |side: &Option<String>| match side {
        None => "nothing".to_owned(),
        Some(text) if text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()) => {
            text[..12].to_owned()
        }
        Some(text) => text.clone(),
    };
    match why {
        Reason::New => vec!["has no result yet".to_owned()],
        Reason::Changed { changes } => changes
            .iter()
            .map(|change| format!("{}: {} → {}", change.what, side(&change.old), side(&change.new)))
            .collect(),
        Reason::Missing { artifact } => {
            vec![format!("its artifact {} is gone", artifact.display())]
        }
        Reason::Corrupt { artifact } => {
            vec![format!("its artifact {} is corrupt", artifact.display())]
        }
        Reason::Retry => vec!["was unavailable and is tried again".to_owned()],
        Reason::Forced => vec!["forced by --force".to_owned()],
    }
}

pub(super) fn plan(session: &Session, args: &Planning) -> Result<()> {
    let Planning { listing: args, beyond: other } = args;
    // The process ends after this, so the graph is not freed: freeing the memory of ten thousand stages would take a
    // good part of the time that planning them took.
    let (graph, store) = session.graph_and_store()?;
    let (graph, store) = (ManuallyDrop::new(graph), ManuallyDrop::new(store));
    let mut wanted = session.select(&graph, &args.targets)?;
    let plan = ManuallyDrop::new(Plan::new(&graph, &wanted, &store, Options::default())?);
    if let Some(other) = other {
        let beyond = beyond(&graph, &ManuallyDrop::new(session.graph_of(other)?));
        wanted.iter_mut().zip(beyond).for_each(|(wanted, beyond)| *wanted &= beyond);
    }
    let counted = |id: Id| wanted[id.index()];
    let counts = plan.counts_of(counted);
    let (kinds, mut estimate, mut parts) = (&session.registry.kinds, None, BTreeMap::new());
    if counts.stale + counts.waiting > 0 {
        let records = store.records()?;
        let by = |id| counted(id).then_some(());
        let mut all = Estimate::by(&graph, &plan, kinds, (&store, &records), by);
        estimate = all.remove(&());
        if other.is_some() {
            let by = |id| counted(id).then(|| part(&graph[id].name).to_owned());
            parts = Estimate::by(&graph, &plan, kinds, (&store, &records), by);
        }
    }
    if args.json {
        let stages = rows(&graph, &plan, counted);
        let profile = session.profile().into();
        return session.print_json(&Report { profile, counts, estimate, parts, stages });
    }
    let mut text = summary(counts);
    if let Some(estimate) = &estimate {
        text.push_str(&super::estimate::words(estimate, &parts, args.all));
    }
    let shown = |id| counted(id) && !matches!(plan.state(id), State::Fresh(..));
    text.push_str(&listed(rows(&graph, &plan, shown), args.all));
    session.print_words(&text)
}

/// How many groups of stages are listed; the rest is counted.
pub(super) const GROUPS: usize = 24;

/// The name under which a stage is listed: its own with `all`, otherwise that of its sweep.
pub(super) fn shown_as(row: &Row, all: bool) -> String {
    if all { row.stage.clone() } else { folded(&row.stage) }
}

/// The rows of each key, in the order in which the keys first occur.
pub(super) fn grouped<K: Clone + Eq + Hash>(
    rows: Vec<Row>,
    key: impl Fn(&Row) -> K,
) -> Vec<(K, Vec<Row>)> {
    let mut groups: Vec<(K, Vec<Row>)> = Vec::new();
    let mut places = HashMap::new();
    for row in rows {
        let key = key(&row);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    groups
}

/// What is not up to date: stages that run for a reason of their own come first, since everything else follows from
/// them.
fn listed(rows: Vec<Row>, all: bool) -> String {
    let mut groups = grouped(rows, |row| (shown_as(row, all), row.state));
    if groups.is_empty() {
        return String::new();
    }
    if !all {
        groups.sort_by_key(|((_, state), _)| *state == "waiting");
    }
    let more = if all { 0 } else { groups.len().saturating_sub(GROUPS) };
    let left: usize = groups.iter().rev().take(more).map(|(_, rows)| rows.len()).sum();
    groups.truncate(groups.len() - more);
    let mut text = "stages:\n".to_owned();
    for ((name, _), rows) in groups {
        let (first, count) = (&rows[0], rows.len());
        let name =
            if count == 1 { first.stage.clone() } else { format!("{name} ({count} stages)") };
        let state = Tone::of_state(first.state).paint(&format!("{:12}", first.state));
        let _ = writeln!(text, "  {state} {name}");
        let reasons = first.why.as_ref().map(words).unwrap_or_default();
        for line in reasons.iter().chain(&first.note).take(6) {
            let _ = writeln!(text, "  {:12}   {line}", "");
        }
    }
    if more > 0 {
        let _ = writeln!(text, "  and {left} more stages: `--all` lists every one");
    }
    text
}

/// All counts in one sentence.
pub(super) fn summary(counts: Counts) -> String {
    let Counts { fresh, stale, waiting, unavailable } = counts;
    let mut text = if stale + waiting == 0 {
        format!("nothing to do: {} up to date", count(fresh, "stage"))
    } else {
        format!("{} to run, {waiting} that may follow, {fresh} up to date", count(stale, "stage"))
    };
    if unavailable > 0 {
        let _ = write!(text, "; {unavailable} unavailable here (a run tries them again)");
    }
    text + "\n"
}

pub(super) fn why(session: &Session, stage: &str) -> Result<()> {
    let (graph, store) = session.graph_and_store()?;
    let targets = [stage.to_owned()];
    let wanted = session.select(&graph, &targets)?;
    let ids = graph.matching(stage)?;
    let plan = Plan::new(&graph, &wanted, &store, Options::default())?;
    let mut explained = Explained { text: String::new(), seen: HashSet::new() };
    for &id in ids.iter().take(GROUPS) {
        explained.add(&graph, &plan, id, 0);
    }
    let mut text = explained.text;
    if ids.len() > GROUPS {
        let _ = writeln!(text, "and {} more: `plan {stage} --all` lists them", ids.len() - GROUPS);
    }
    session.print_words(&text)
}

/// Inputs of a waiting stage that are explained; the others are counted.
const INPUTS: usize = 8;

/// Why stages run, each explained once: the graph is no tree, and many stages wait for the same inputs.
struct Explained {
    text: String,
    seen: HashSet<Id>,
}

impl Explained {
    /// Explains a state and, below it, the inputs that cause it, down to where it starts.
    fn add(&mut self, graph: &Graph, plan: &Plan, id: Id, depth: usize) {
        let (name, indent) = (&graph[id].name, "  ".repeat(depth));
        let first = self.seen.insert(id);
        let mut line = |tail: &str| {
            let _ = writeln!(self.text, "{indent}{name} {tail}");
        };
        match plan.state(id) {
            State::Fresh(key, _) => {
                line(&format!("{} (key {})", Tone::Good.paint("is up to date"), key.short()));
            }
            State::Stale(..) | State::Waiting(_) | State::Blocked(_) if !first => {
                line("is explained above");
            }
            State::Stale(_, why) => {
                line(&Tone::Open.paint("will run:"));
                for reason in words(why) {
                    let _ = writeln!(self.text, "{indent}  {reason}");
                }
            }
            State::Waiting(on) => {
                line("runs if an input comes out different:");
                for &input in on.iter().take(INPUTS) {
                    self.add(graph, plan, input, depth + 1);
                }
                if let Some(more) = on.len().checked_sub(INPUTS).filter(|more| *more > 0) {
                    let _ = writeln!(self.text, "{indent}  and {more} more inputs");
                }
            }
            State::Unavailable(_, why) => {
                line(&format!("{}: {why}", Tone::Faint.paint("is unavailable here")));
            }
            State::Blocked(root) => {
                line(&Tone::Bad.paint("cannot run; it needs:"));
                self.add(graph, plan, *root, depth + 1);
            }
            state => line(&format!("is {}", word(state))),
        }
    }
}
