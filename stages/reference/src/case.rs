//! One compared value.

use super::Error;

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Within the tolerance.
    Passed,
    /// Beyond the tolerance, or NaN.
    Failed,
    /// Only shown next to each other, without a tolerance (timings, paths that depend on the machine).
    Informative,
    /// The file contains a case that this project cannot read or compute.
    NotUnderstood,
    /// A key that belongs to no part of the format: noted, and nothing is compared.
    Ignored,
}

/// One compared value.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Keys down to the value, joined by `/`.
    pub name: String,
    /// Our value.
    pub computed: f64,
    /// The file's value.
    pub expected: f64,
    /// Their distance in the measure of the case.
    pub error: f64,
    /// The largest error that is accepted.
    pub tolerance: f64,
    /// The outcome.
    pub outcome: Outcome,
}

impl Case {
    /// Compares relative to the expected value, or absolutely below `floor`.
    pub fn relative(
        name: impl Into<String>,
        computed: f64,
        expected: f64,
        floor: f64,
        tolerance: f64,
    ) -> Self {
        let error = distance(computed, expected) / scale(expected, floor);
        Self::with_error(name, computed, expected, error, tolerance)
    }

    /// Compares the absolute difference.
    pub fn absolute(name: impl Into<String>, computed: f64, expected: f64, tolerance: f64) -> Self {
        Self::with_error(name, computed, expected, distance(computed, expected), tolerance)
    }

    /// A case whose error was measured by the caller.
    pub fn with_error(
        name: impl Into<String>,
        computed: f64,
        expected: f64,
        error: f64,
        tolerance: f64,
    ) -> Self {
        let outcome = if error <= tolerance { Outcome::Passed } else { Outcome::Failed };
        Self { name: name.into(), computed, expected, error, tolerance, outcome }
    }

    /// Two values next to each other without a verdict.
    pub fn informative(name: impl Into<String>, computed: f64, expected: f64) -> Self {
        let error = distance(computed, expected);
        Self {
            outcome: Outcome::Informative,
            ..Self::with_error(name, computed, expected, error, f64::INFINITY)
        }
    }

    /// A case that this project cannot read or compute.
    pub fn not_understood(name: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::NotUnderstood,
            ..Self::with_error(name, f64::NAN, f64::NAN, f64::NAN, 0.0)
        }
    }

    /// A key that belongs to no part of the format.
    pub fn ignored(name: impl Into<String>) -> Self {
        Self { outcome: Outcome::Ignored, ..Self::not_understood(name) }
    }

    /// Whether the case did not fail.
    pub fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Passed | Outcome::Informative)
    }
}

/// How far two numbers are apart: infinities and NaN have to be the same, anything else is infinitely far from
/// them.
pub fn distance(computed: f64, expected: f64) -> f64 {
    if computed == expected || (computed.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let distance = (computed - expected).abs();
    if distance.is_nan() { f64::INFINITY } else { distance }
}

/// What a distance from `expected` is measured by. Nothing is small next to an infinity.
fn scale(expected: f64, floor: f64) -> f64 {
    let scale = expected.abs().max(floor);
    // Without a floor, a distance of 0 from 0 is none, and any other is infinite.
    if scale.is_finite() && scale > 0.0 { scale } else { f64::MIN_POSITIVE }
}

/// Keeps an error as a case of its own: what cannot be read stops nothing else.
pub fn keep(result: Result<(), Error>, cases: &mut Vec<Case>) {
    if let Err(error) = result {
        cases.push(Case::not_understood(error.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_agree_in_every_measure() {
        for value in [0.0, -0.0, 1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(Case::relative("", value, value, 0.0, 0.0).passed(), "{value}");
            assert!(Case::absolute("", value, value, 0.0).passed(), "{value}");
        }
        assert!(Case::relative("", 0.0, -0.0, 0.0, 0.0).passed());
    }

    #[test]
    fn an_infinity_is_near_to_itself_only() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (a, b) in [(inf, 1.0), (1.0, inf), (inf, -inf), (nan, 1.0), (inf, nan), (1e-9, 0.0)] {
            assert_eq!(Case::relative("", a, b, 0.0, 1e-3).outcome, Outcome::Failed, "{a} {b}");
            assert_eq!(Case::absolute("", a, b, 1e-10).outcome, Outcome::Failed, "{a} {b}");
        }
    }
}
