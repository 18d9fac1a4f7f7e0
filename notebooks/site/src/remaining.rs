//! What the papers' own sizes would still take.

use std::collections::BTreeMap;

use pipeline::estimate::{
    Estimate,
    words::{longest_first, sums},
};

/// A part of an experiment that no recorded run has at the paper's size.
pub struct Remaining {
    /// The first two words of its stages' names.
    pub part: String,
    /// The number of its stages.
    pub stages: usize,
    /// Those among them whose cost is unknown.
    pub unknown: usize,
    /// CPU and GPU hours, in words.
    pub hours: String,
}

impl Remaining {
    /// The parts that take a minute or an unknown time, those that take longest first.
    #[must_use]
    pub fn all(parts: &BTreeMap<String, Estimate>) -> Vec<Self> {
        let counts = |estimate: &Estimate| {
            estimate.unknown > 0 || estimate.cpu_h.middle + estimate.gpu_h.middle >= 1.0 / 60.0
        };
        let told = |(part, estimate): (&String, &Estimate)| Self {
            part: part.clone(),
            stages: estimate.stages,
            unknown: estimate.unknown,
            hours: sums(estimate),
        };
        longest_first(parts)
            .into_iter()
            .filter(|(_, estimate)| counts(estimate))
            .map(told)
            .collect()
    }
}
