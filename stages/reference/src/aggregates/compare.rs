//! How the numbers of a section are compared.

use stats::aggregates::percentiles;

use crate::{case::Case, node::Node};

/// Tolerance of estimates and quantiles.
pub(super) const ABSOLUTE: f64 = 1e-10;

/// Compares one number, or an array of as many.
pub(super) fn one_or_all(expected: &Node<'_>, ours: &[f64], tolerance: f64, cases: &mut Vec<Case>) {
    if !expected.value.is_array() {
        let own = ours.first().copied().unwrap_or(f64::NAN);
        cases.push(expected.absolute(own, tolerance));
        return;
    }
    let listed = expected.listed(cases);
    if listed.len() != ours.len() {
        let at = format!("{} (number of values)", expected.at);
        cases.push(Case::absolute(at, ours.len() as f64, listed.len() as f64, 0.0));
        return;
    }
    cases.extend(listed.iter().zip(ours).map(|(node, own)| node.absolute(*own, tolerance)));
}

/// The ends of the interval of coverage `level` of resampled values. With infinities they are those of numpy,
/// whose interpolation gives NaN where it subtracts two of them.
pub(super) fn ends(values: &[f64], level: f64) -> (f64, f64) {
    if !values.iter().any(|v| v.is_infinite()) || values.iter().any(|v| v.is_nan()) {
        return percentiles(values, level);
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len() - 1;
    let end = |p: f64| {
        let at = p * last as f64;
        let (low, high) =
            (sorted[at.floor() as usize], sorted[(at.floor() as usize + 1).min(last)]);
        let (weight, step) = (at - at.floor(), high - low);
        if weight < 0.5 { low + weight * step } else { high - (1.0 - weight) * step }
    };
    let tail = f64::midpoint(1.0, -level);
    (end(tail), end(1.0 - tail))
}
