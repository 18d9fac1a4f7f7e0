//! What `plan` prints about the cost of the stages to run, with the constants behind it.

use std::{collections::BTreeMap, fmt::Write};

use super::session::words::count;
use crate::{
    estimate::{
        Estimate, Shown,
        words::{hours, interval, longest_first, sums},
    },
    fold::folded,
};

/// How many stages of the critical path are named.
const SHOWN: usize = 6;

/// How many kinds are listed, those that take longest first.
const KINDS: usize = 12;

/// The totals, the parts of a plan that has any, and the kinds that make them up: with `all`, every kind, each with
/// the constants behind it.
pub(super) fn words(estimate: &Estimate, parts: &BTreeMap<String, Estimate>, all: bool) -> String {
    let mut text = totals(estimate);
    if !parts.is_empty() {
        text.push_str(&by_part(parts));
    }
    let mut kinds: Vec<(&String, &Shown)> = estimate.kinds.iter().collect();
    let longest = |shown: &Shown| {
        known(shown).then(|| shown.gpu_h.or(shown.cpu_h)).flatten().map_or(-1.0, |h| h.middle)
    };
    kinds.sort_by(|(_, a), (_, b)| longest(b).total_cmp(&longest(a)));
    let known = kinds.iter().filter(|(_, shown)| known(shown)).count();
    let unknown = if all { Vec::new() } else { kinds.split_off(known) };
    let more = if all { 0 } else { kinds.len().saturating_sub(KINDS) };
    kinds.truncate(kinds.len() - more);
    let width = kinds.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "by kind of stage, those that take longest first:");
    for (name, shown) in kinds {
        let Shown { stages, .. } = shown;
        let told = if all { kind(shown) } else { time(shown) };
        let _ = writeln!(text, "  {name:width$} {stages:>6} stages  {told}");
    }
    if more > 0 {
        let _ = writeln!(text, "  and {more} more kinds: `--all` lists them, with their constants");
    }
    if !unknown.is_empty() {
        let stages: usize = unknown.iter().map(|(_, shown)| shown.stages).sum();
        let names: Vec<&str> = unknown.iter().take(SHOWN).map(|(name, _)| name.as_str()).collect();
        let rest = unknown.len() - names.len();
        let rest = if rest > 0 { format!(" and {rest} more kinds") } else { String::new() };
        let _ = writeln!(
            text,
            "  of unknown cost: {}, {}{rest}",
            count(stages, "stage"),
            names.join(", ")
        );
    }
    text
}

/// The parts, those that take longest first.
fn by_part(parts: &BTreeMap<String, Estimate>) -> String {
    let mut text = "by part, those that take longest first:\n".to_owned();
    let width = parts.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, part) in longest_first(parts) {
        let _ = writeln!(text, "  {name:width$} {:>6} stages  {}", part.stages, sums(part));
    }
    text
}

fn totals(estimate: &Estimate) -> String {
    let mut text = String::new();
    let Estimate { stages, unknown, .. } = *estimate;
    let _ = writeln!(
        text,
        "estimate: {}, {}; {:.1} MiB of artifacts",
        count(stages, "stage"),
        sums(estimate),
        estimate.bytes / f64::from(1 << 20)
    );
    let _ = writeln!(
        text,
        "  {:.0} % intervals, if the errors of different kinds are independent",
        100.0 * estimate.level
    );
    if unknown > 0 {
        let kinds = estimate.kinds.values().filter(|kind| kind.unknown > 0).count();
        let _ = writeln!(
            text,
            "  not counted: {} of {kinds} kinds and variants without a usable record; a larger profile or `run \
             --limit` gives a first estimate",
            count(unknown, "stage")
        );
    }
    if stages == unknown {
        return text;
    }
    let mut chain: Vec<_> = estimate.critical.iter().map(|name| folded(name)).collect();
    let more = chain.len().saturating_sub(SHOWN);
    chain.truncate(SHOWN);
    let rest = if more > 0 { format!(" → {more} more") } else { String::new() };
    let _ = writeln!(
        text,
        "critical path: {}{} over {}: {}{rest}",
        if unknown > 0 { "at least " } else { "" },
        hours(estimate.critical_h),
        count(estimate.critical.len(), "stage"),
        chain.join(" → ")
    );
    text
}

/// Whether anything is known of the time that the stages of a kind take.
fn known(shown: &Shown) -> bool {
    let timed = shown.gpu_h.is_some() || shown.cpu_h.is_some();
    shown.constant_s.is_some() && shown.operations != 0.0 && timed
}

/// The time that the stages of a kind take.
fn time(shown: &Shown) -> String {
    let Shown { stages, unknown, operations, .. } = *shown;
    if shown.constant_s.is_none() {
        return "unknown: nothing of the kind is recorded".to_owned();
    }
    let mut text = match (shown.gpu_h, shown.cpu_h) {
        _ if operations == 0.0 => "unknown: the sizes of their inputs cannot be told".to_owned(),
        (None, None) => "unknown: no record is of nearly the size".to_owned(),
        (Some(gpu_h), _) => interval(gpu_h, "GPU"),
        (None, Some(cpu_h)) => interval(cpu_h, "CPU"),
    };
    if unknown > 0 && unknown < stages {
        let _ = write!(text, " without {unknown} of unknown size");
    }
    text
}

/// One kind's line with the constants behind it.
fn kind(shown: &Shown) -> String {
    let Shown { operations, largest, records, spread, beyond, .. } = *shown;
    let sizes = format!("{operations:.1e} operations, at most {largest:.1e} in one");
    let Some(constant_s) = shown.constant_s else {
        return match operations {
            0.0 => time(shown),
            _ => format!("{}; {sizes}", time(shown)),
        };
    };
    let mut text = time(shown);
    let machines = if shown.here { "" } else { " of other machines" };
    let _ = write!(
        text,
        "; {sizes}; {constant_s:.2e} CPU s each (× or ÷ {spread:.2}, {records} records{machines})"
    );
    if beyond > 1.05 {
        let _ = write!(text, "; up to {beyond:.1} × beyond them");
    }
    text
}
