//! What `plan` prints about the cost of the stages to run, with the constants behind it.

use std::fmt::Write;

use crate::{
    estimate::{Estimate, Interval, Shown},
    fold::folded,
};

/// How many stages of the critical path are named.
const SHOWN: usize = 6;

/// How many kinds are listed, those that take longest first.
const KINDS: usize = 12;

/// The totals, and the kinds that make them up: with `all`, every kind, each with the constants behind it.
pub(super) fn words(estimate: &Estimate, all: bool) -> String {
    let mut text = totals(estimate);
    let mut kinds: Vec<(&String, &Shown)> = estimate.kinds.iter().collect();
    let longest = |shown: &Shown| shown.gpu_h.or(shown.cpu_h).map_or(f64::INFINITY, |h| h.middle);
    kinds.sort_by(|(_, a), (_, b)| longest(b).total_cmp(&longest(a)));
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
    text
}

fn totals(estimate: &Estimate) -> String {
    let mut text = String::new();
    let Estimate { stages, unknown, unknown_on_gpu, .. } = *estimate;
    let sum = |hours: Interval, unknown: usize, known: usize, of: &str| {
        let least = if unknown > 0 { "at least " } else { "" };
        match (unknown, known) {
            (1.., 0) => format!("{of} hours unknown"),
            (_, 0) => format!("no {of} hours"),
            _ => format!("{least}{}", interval(hours, of)),
        }
    };
    let on_gpu: usize = estimate.kinds.values().filter(|k| k.gpu).map(|k| k.stages).sum();
    let _ = writeln!(
        text,
        "estimate: {stages} stages, {}; {}; {:.1} MiB of artifacts",
        sum(estimate.cpu_h, unknown, stages - unknown, "CPU"),
        sum(estimate.gpu_h, unknown_on_gpu, on_gpu - unknown_on_gpu, "GPU"),
        estimate.bytes / f64::from(1 << 20)
    );
    let _ = writeln!(
        text,
        "  intervals hold with {:.0} %, where the kinds' errors have nothing to do with each other",
        100.0 * estimate.level
    );
    if unknown > 0 {
        let kinds = estimate.kinds.values().filter(|kind| kind.unknown > 0).count();
        let _ = writeln!(
            text,
            "  not counted: {unknown} stages of {kinds} kinds and variants without a usable record; a \
             larger profile or `run --limit` gives a first estimate"
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
        "critical path: {}{} over {} stages: {}{rest}",
        if unknown > 0 { "at least " } else { "" },
        hours(estimate.critical_h),
        estimate.critical.len(),
        chain.join(" → ")
    );
    text
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

fn interval(found: Interval, of: &str) -> String {
    let Interval { low, middle, high } = found;
    format!("{} {of} ({} to {})", hours(middle), hours(low), hours(high))
}

fn hours(hours: f64) -> String {
    match hours {
        h if h >= 1000.0 => format!("{h:.0} h"),
        h if h >= 1.0 => format!("{h:.1} h"),
        h if h >= 1.0 / 60.0 => format!("{:.1} min", h * 60.0),
        h => format!("{:.1} s", h * 3600.0),
    }
}
