//! Learning curves by data set and learner.

use std::collections::BTreeMap;

use kit::data_sets::curve_table::CurvePoint;

/// Means that differ by less are equal: their sums were rounded.
pub const ROUNDING: f64 = 1e-12;

/// A learner's mean test errors by the number of instances that it was trained on.
pub type Curve = BTreeMap<u32, f64>;

/// The curves of a data set by learner.
pub type Learners = BTreeMap<String, Curve>;

/// The curves by data set.
#[must_use]
pub fn by_data_set(points: Vec<CurvePoint>) -> BTreeMap<u32, Learners> {
    let mut all: BTreeMap<u32, Learners> = BTreeMap::new();
    for CurvePoint { data_set, learner, size, test, .. } in points {
        all.entry(data_set).or_default().entry(learner).or_default().insert(size, test);
    }
    all
}

/// A curve of these sizes and errors.
#[cfg(test)]
pub(crate) fn curve(points: &[(u32, f64)]) -> Curve {
    points.iter().copied().collect()
}
