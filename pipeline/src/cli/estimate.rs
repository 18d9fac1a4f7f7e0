//! What `plan` says of the cost of what is to run, with the fits behind it.

use std::fmt::Write;

use crate::{
    estimate::{Estimate, Shown},
    fold::folded,
};

/// How many stages of the critical path are named.
const SHOWN: usize = 6;

pub(super) fn words(estimate: &Estimate) -> String {
    let mut text = String::new();
    let known = estimate.stages - estimate.unknown;
    if known == 0 {
        return "no estimate: nothing like these stages was recorded; a smaller profile or \
                `run --limit` gives a start\n"
            .to_owned();
    }
    let width = estimate.kinds.keys().map(String::len).max().unwrap_or(0);
    for (name, kind) in &estimate.kinds {
        let Shown { stages, cpu_h, seconds, records, error, beyond, .. } = kind;
        let _ = writeln!(
            text,
            "{name:width$} {stages:>7} stages {:>12}  seconds ≈ {seconds} (× or ÷ {error:.2}, {records} records)",
            hours(*cpu_h, "CPU")
        );
        for (size, (ratio, known)) in beyond {
            let far = if *ratio < 1.0 {
                format!("÷ {:.1}", 1.0 / ratio)
            } else {
                format!("× {ratio:.1}")
            };
            let effect = if *known { "" } else { ", whose effect no record tells" };
            let _ = writeln!(text, "{:width$}   beyond the records: {size} {far}{effect}", "");
        }
    }
    let _ = writeln!(
        text,
        "estimate: {known} stages, {}, {}, {:.1} MiB of artifacts",
        hours(estimate.cpu_h, "CPU"),
        hours(estimate.gpu_h, "GPU"),
        estimate.bytes / f64::from(1 << 20)
    );
    if estimate.unknown > 0 {
        let _ = writeln!(text, "  without {} stages of kinds never recorded", estimate.unknown);
    }
    let blind: usize = estimate.kinds.values().map(|kind| kind.blind).sum();
    if blind > 0 {
        let _ = writeln!(
            text,
            "  {blind} of them have sizes of which no record tells the effect, and none is added: \
             records of profiles of several sizes would tell"
        );
    }
    let mut chain: Vec<_> = estimate.critical.iter().map(|name| folded(name)).collect();
    let more = chain.len().saturating_sub(SHOWN);
    chain.truncate(SHOWN);
    let rest = if more > 0 { format!(" → {more} more") } else { String::new() };
    let _ = writeln!(
        text,
        "critical path: {} over {} stages: {}{rest}",
        hours(estimate.critical_h, "").trim_end(),
        estimate.critical.len(),
        chain.join(" → ")
    );
    text
}

fn hours(hours: f64, of: &str) -> String {
    match hours {
        h if h >= 1.0 => format!("{h:.1} {of} h"),
        h if h >= 1.0 / 60.0 => format!("{:.1} {of} min", h * 60.0),
        h => format!("{:.1} {of} s", h * 3600.0),
    }
    .replace("  ", " ")
}
