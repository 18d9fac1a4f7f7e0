//! The paper's number for what a finding estimates.

use crate::words::number;

/// How such a number and ours are read. The crate that writes it has its own `Kind`: the two only share its
/// name in the table, since this crate does not depend on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As plain values.
    Level,
    /// Relative to 0, where two things are equal.
    Difference,
    /// Relative to 1, where two things are equal.
    Ratio,
}

impl Kind {
    /// The kind with this name in the table of findings.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word {
            "difference" => Self::Difference,
            "ratio" => Self::Ratio,
            _ => Self::Level,
        }
    }

    /// The value at which two things are equal.
    #[must_use]
    pub fn neutral(self) -> Option<f64> {
        match self {
            Self::Level => None,
            Self::Difference => Some(0.0),
            Self::Ratio => Some(1.0),
        }
    }
}

/// The common properties of the numbers on one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// How they are read.
    pub kind: Kind,
    /// The quantity.
    pub unit: String,
}

impl Measure {
    /// In words, as the label of an axis.
    #[must_use]
    pub fn told(&self) -> String {
        match self.kind {
            Kind::Level => self.unit.clone(),
            Kind::Difference => format!("{}, difference (0 = none)", self.unit),
            Kind::Ratio => format!("{}, ratio (1 = equal)", self.unit),
        }
    }
}

/// The paper's number.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// Whether the paper only gives a lower bound.
    pub at_least: bool,
    /// The quantity.
    pub measure: Measure,
}

impl Published {
    /// In words.
    #[must_use]
    pub fn told(&self) -> String {
        let least = if self.at_least { "at least " } else { "" };
        format!("{least}{}", number(self.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_says_that_it_is_one() {
        let measure = Measure { kind: Kind::of("ratio"), unit: "CPU time".to_owned() };
        let paper = Published { value: 100.0, at_least: true, measure };
        assert_eq!(paper.told(), "at least 100");
        assert_eq!(paper.measure.told(), "CPU time, ratio (1 = equal)");
        assert_eq!(paper.measure.kind.neutral(), Some(1.0));
        assert_eq!(Kind::of("a word of another version").neutral(), None);
    }
}
