//! The values of one parameter, and where they lie on its scale.

use serde::{Deserialize, Serialize};

/// The values of one parameter. In a configuration a whole number is stored as itself and a category as its
/// index, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Domain {
    /// The interval [low, high].
    Float {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Whether the scale is logarithmic: equal ratios, not equal differences, are equally far apart.
        log: bool,
    },
    /// The whole numbers low, …, high.
    Int {
        /// The smallest.
        low: i64,
        /// The largest.
        high: i64,
        /// Whether the scale is logarithmic. It is left out of files where it is not.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        log: bool,
    },
    /// Unordered categories.
    Categorical {
        /// The number of categories.
        choices: usize,
    },
}

/// Beyond this, neighbouring whole numbers are the same f64.
const WHOLE: i64 = 1 << 53;

impl Domain {
    pub(super) fn check(self) -> Result<(), &'static str> {
        match self {
            Self::Float { low, high, log } => {
                let fine = low.is_finite() && high.is_finite() && low < high;
                if fine && (!log || low > 0.0) {
                    Ok(())
                } else {
                    Err("finite low < high, and low > 0 on a logarithmic scale")
                }
            }
            Self::Int { low, high, log } => {
                let fine = -WHOLE < low && low < high && high < WHOLE;
                if fine && (!log || low > 0) {
                    Ok(())
                } else {
                    Err("low < high, both below 2^53 in size, and low > 0 on a logarithmic scale")
                }
            }
            Self::Categorical { choices } if choices > 0 => Ok(()),
            Self::Categorical { .. } => Err("at least one choice"),
        }
    }

    /// The number of values; `None` for an interval.
    pub fn values(self) -> Option<u64> {
        match self {
            Self::Float { .. } => None,
            Self::Int { low, high, .. } => Some(high.abs_diff(low) + 1),
            Self::Categorical { choices } => Some(choices as u64),
        }
    }

    /// The value at `unit` in [0, 1]; discrete values share the interval equally. On a logarithmic scale the share of a
    /// whole number k is from ln(k − ½) to ln(k + ½).
    pub fn from_unit(self, unit: f64) -> f64 {
        match self {
            Self::Float { low, high, log: false } => (low + unit * (high - low)).clamp(low, high),
            Self::Float { low, high, log: true } => {
                (low.ln() + unit * (high.ln() - low.ln())).exp().clamp(low, high)
            }
            Self::Int { low, high, log: true } => {
                let (from, length) = logarithms(low, high);
                let value = (from + unit * length).exp().round();
                value.clamp(low as f64, high as f64)
            }
            Self::Int { low, high, log: false } => {
                let count = (high.abs_diff(low) + 1) as f64;
                low as f64 + (unit * count).floor().clamp(0.0, count - 1.0)
            }
            Self::Categorical { choices } => {
                (unit * choices as f64).floor().clamp(0.0, choices as f64 - 1.0)
            }
        }
    }

    /// Where a value lies in [0, 1]: the middle of its share for discrete values.
    pub fn to_unit(self, value: f64) -> f64 {
        match self {
            Self::Float { low, high, log: false } => (value - low) / (high - low),
            Self::Float { low, high, log: true } => {
                (value.ln() - low.ln()) / (high.ln() - low.ln())
            }
            Self::Int { low, high, log: true } => {
                let (from, length) = logarithms(low, high);
                (0.5 * ((value - 0.5).ln() + (value + 0.5).ln()) - from) / length
            }
            Self::Int { low, high, log: false } => {
                (value - low as f64 + 0.5) / (high.abs_diff(low) + 1) as f64
            }
            Self::Categorical { choices } => (value + 0.5) / choices as f64,
        }
    }

    /// Whether a value is one of the domain's.
    pub fn contains(self, value: f64) -> bool {
        match self {
            Self::Float { low, high, .. } => low <= value && value <= high,
            Self::Int { low, high, .. } => {
                value.fract() == 0.0 && low as f64 <= value && value <= high as f64
            }
            Self::Categorical { choices } => {
                value.fract() == 0.0 && 0.0 <= value && value < choices as f64
            }
        }
    }
}

/// Where the scale of the whole numbers low, …, high begins, and its length.
fn logarithms(low: i64, high: i64) -> (f64, f64) {
    let from = (low as f64 - 0.5).ln();
    (from, (high as f64 + 0.5).ln() - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_on_a_logarithmic_scale_have_the_share_of_what_rounds_to_them() {
        let domain = Domain::Int { low: 1, high: 50, log: true };
        let whole = (50.5_f64 / 0.5).ln();
        let mut end = 0.0;
        for k in 1..=50 {
            let k = f64::from(k);
            let share = ((k + 0.5) / (k - 0.5)).ln() / whole;
            assert!((domain.to_unit(k) - (end + 0.5 * share)).abs() < 1e-14);
            for inside in [1e-9, 0.5, 1.0 - 1e-9] {
                assert_eq!(domain.from_unit(end + inside * share), k, "{inside}");
            }
            end += share;
        }
        assert!((end - 1.0).abs() < 1e-14);
        assert_eq!((domain.from_unit(0.0), domain.from_unit(1.0)), (1.0, 50.0));
        assert_eq!(domain.values(), Some(50));
        assert!(domain.contains(7.0) && !domain.contains(7.5) && !domain.contains(51.0));
    }
}
