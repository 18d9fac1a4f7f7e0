//! Estimates in words.

use std::collections::BTreeMap;

use super::{Estimate, Interval};

/// The parts of an estimate, those that take longest first.
#[must_use]
pub fn longest_first(parts: &BTreeMap<String, Estimate>) -> Vec<(&String, &Estimate)> {
    let mut parts: Vec<_> = parts.iter().collect();
    let hours = |part: &Estimate| part.gpu_h.middle + part.cpu_h.middle;
    parts.sort_by(|(_, a), (_, b)| hours(b).total_cmp(&hours(a)));
    parts
}

/// CPU and GPU hours, with their intervals; at least these where some stages are unknown.
#[must_use]
pub fn sums(estimate: &Estimate) -> String {
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
    let cpu = sum(estimate.cpu_h, unknown, stages - unknown, "CPU");
    let gpu = sum(estimate.gpu_h, unknown_on_gpu, on_gpu - unknown_on_gpu, "GPU");
    format!("{cpu}; {gpu}")
}

/// Hours of this kind of processor.
pub(crate) fn interval(found: Interval, of: &str) -> String {
    let Interval { low, middle, high } = found;
    format!("{} {of} ({} to {})", hours(middle), hours(low), hours(high))
}

/// A time in the unit that fits.
pub(crate) fn hours(hours: f64) -> String {
    match hours {
        h if h >= 1000.0 => format!("{h:.0} h"),
        h if h >= 1.0 => format!("{h:.1} h"),
        h if h >= 1.0 / 60.0 => format!("{:.1} min", h * 60.0),
        h => format!("{:.1} s", h * 3600.0),
    }
}
