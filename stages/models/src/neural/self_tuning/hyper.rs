//! A hyper-parameter that is tuned during training: an unconstrained number λ, and the valid value
//! r(λ) that it stands for.

use serde::{Deserialize, Serialize};

/// The valid values of a hyper-parameter, and the map r from all numbers to them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Range {
    /// Between two numbers, by a sigmoid stretched to them.
    Interval {
        /// Lower end, not reached.
        low: f64,
        /// Upper end, not reached.
        high: f64,
    },
    /// Above 0, by softplus.
    Positive,
    /// 0, 1, … below a number: the sigmoid stretched to it, rounded down.
    Whole {
        /// The number.
        below: f64,
    },
}

/// A hyper-parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Hyper {
    /// Its name.
    pub name: String,
    /// Its valid values.
    pub range: Range,
    /// Where it starts: a valid value before it is rounded.
    pub start: f64,
    /// Whether all examples of a batch have the same value.
    #[serde(default)]
    pub shared: bool,
}

/// An invalid hyper-parameter.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadHyper {
    /// Bounds in the wrong order or not finite.
    #[error("hyper-parameter `{name}`: no numbers in range {low}..{high}")]
    Range {
        /// Its name.
        name: String,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// An initial value outside the bounds.
    #[error("hyper-parameter `{name}`: start {start} is not strictly inside {low}..{high}")]
    Start {
        /// Its name.
        name: String,
        /// Its initial value.
        start: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

impl Range {
    /// The bounds of the values before rounding.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Self::Interval { low, high } => (low, high),
            Self::Positive => (0.0, f64::INFINITY),
            Self::Whole { below } => (0.0, below),
        }
    }

    /// The valid value r(λ).
    pub fn value(self, unconstrained: f64) -> f64 {
        let (low, high) = self.ends();
        let stretched = || low + (high - low) * sigmoid(unconstrained);
        match self {
            Self::Interval { .. } => stretched(),
            Self::Positive => softplus(unconstrained),
            Self::Whole { below } => stretched().floor().min(below.ceil() - 1.0),
        }
    }

    /// The λ with r(λ) = `value`, for a value strictly inside.
    pub fn unconstrained(self, value: f64) -> f64 {
        let (low, high) = self.ends();
        match self {
            // ln(eˣ − 1), without overflow.
            Self::Positive => value + (-(-value).exp_m1()).ln(),
            _ => ((value - low) / (high - value)).ln(),
        }
    }
}

impl Hyper {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If there are no valid values, or the initial value is not valid.
    pub fn check(&self) -> Result<(), BadHyper> {
        let (low, high) = self.range.ends();
        let name = || self.name.clone();
        if !(low.is_finite() && low < high && !high.is_nan()) {
            return Err(BadHyper::Range { name: name(), low, high });
        }
        if !(self.start > low && self.start < high) {
            return Err(BadHyper::Start { name: name(), start: self.start, low, high });
        }
        Ok(())
    }

    /// The unconstrained initial value.
    pub fn origin(&self) -> f64 {
        self.range.unconstrained(self.start)
    }
}

/// 1 / (1 + e⁻ˣ).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + eˣ), without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGES: [Range; 3] = [
        Range::Interval { low: -0.5, high: 0.9 },
        Range::Positive,
        Range::Interval { low: 0.0, high: 25.0 },
    ];

    #[test]
    fn values_come_back_from_their_unconstrained_numbers() {
        for range in RANGES {
            for unconstrained in [-8.0, -2.5, 0.0, 0.3, 6.0] {
                let value = range.value(unconstrained);
                let back = range.unconstrained(value);
                assert!((back - unconstrained).abs() < 1e-12 * 8.0_f64.exp(), "{range:?}: {back}");
                let (low, high) = range.ends();
                assert!(low < value && value < high);
            }
        }
    }

    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
        close(Range::Interval { low: 0.0, high: 0.5 }.value(0.0), 0.25);
        // σ(ln 3) = 3/4; softplus(ln(e − 1)) = 1.
        close(Range::Interval { low: 0.0, high: 1.0 }.value(3.0_f64.ln()), 0.75);
        close(Range::Positive.unconstrained(1.0), 1.0_f64.exp_m1().ln());
        assert_eq!(Range::Positive.value(800.0), 800.0);
    }

    #[test]
    fn whole_numbers_are_rounded_down_and_stay_below() {
        let holes = Range::Whole { below: 5.0 };
        assert_eq!(holes.value(holes.unconstrained(1.5)), 1.0);
        assert_eq!(holes.value(holes.unconstrained(4.9)), 4.0);
        // σ(50) is 1 in double precision.
        assert_eq!(holes.value(50.0), 4.0);
        assert_eq!(holes.value(-50.0), 0.0);
    }

    #[test]
    fn starts_lie_inside() {
        let hyper = |range, start| Hyper { name: "p".to_owned(), range, start, shared: false };
        let rate = Range::Interval { low: 0.0, high: 1.0 };
        assert!(hyper(rate, 0.05).check().is_ok());
        for start in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(hyper(rate, start).check().is_err(), "{start}");
        }
        for (low, high) in [(1.0, 0.0), (0.0, f64::NAN), (f64::NAN, 1.0), (0.0, 0.0)] {
            assert!(hyper(Range::Interval { low, high }, 0.5).check().is_err());
        }
    }
}
