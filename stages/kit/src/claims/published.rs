//! The paper's numbers for what a finding estimates, so that both can be shown on one axis.

use serde::{Deserialize, Serialize};

/// How a number is read. The site has a `Kind` of its own: it knows tables and not this crate, the table
/// has the word, and a crate that both could name would be the engine, which knows no paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// By itself: an error, a share, a count.
    Level,
    /// Against 0, where two things are alike.
    Difference,
    /// Against 1, where two things are alike.
    Ratio,
}

impl Kind {
    /// The name written to tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Difference => "difference",
            Self::Ratio => "ratio",
        }
    }
}

/// A number of the paper. There is none where the paper has only a figure or a word, or where its
/// number is of another quantity than ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// The place of the finding; without one, every place of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The number.
    pub value: f64,
    /// Whether the paper says only that it is no less.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// How it is read.
    pub kind: Kind,
    /// What it is a number of, with its unit where it has one.
    pub unit: String,
}

impl Published {
    /// The first fault in it, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        if !self.value.is_finite() {
            return Some(format!("`published` has the value {}: give a number", self.value));
        }
        if self.unit.trim().is_empty() {
            return Some("`published` has no unit: say what the number is of".to_owned());
        }
        None
    }
}

/// The number for `place`: its own if it has one, otherwise that for all places.
#[must_use]
pub fn at<'a>(all: &'a [Published], place: &str) -> Option<&'a Published> {
    let own = all.iter().find(|published| published.place.as_deref() == Some(place));
    own.or_else(|| all.iter().find(|published| published.place.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(place: Option<&str>, value: f64) -> Published {
        let (place, unit) = (place.map(str::to_owned), "error".to_owned());
        Published { place, value, at_least: false, kind: Kind::Level, unit }
    }

    #[test]
    fn a_place_of_its_own_comes_before_every_place() {
        let all = [number(None, 1.0), number(Some("digits"), 2.0)];
        assert_eq!(at(&all, "digits").map(|p| p.value), Some(2.0));
        assert_eq!(at(&all, "iris").map(|p| p.value), Some(1.0));
        assert_eq!(at(&all[1..], "iris"), None);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(number(None, 0.0).fault(), None);
        assert!(number(None, f64::NAN).fault().is_some());
        let without = Published { unit: " ".to_owned(), ..number(None, 0.0) };
        assert!(without.fault().is_some());
    }
}
