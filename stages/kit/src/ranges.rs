//! Ranges of config values. `#[derive(Ranges)]` makes a check of the ranges that a struct's fields declare, so that a
//! value out of range is refused with its file, line and key.
//!
//! | on a field | its value, or each of its values |
//! |---|---|
//! | `#[range(at_least = 1)]`, `#[range(at_most = 1.0)]` | is in a range with this end |
//! | `#[range(above = 0.0)]`, `#[range(below = 1.0)]` | is in a range without this end |
//! | `#[range(entries = 2)]` | has at least as many entries |
//! | `#[range(inside)]` | is a struct with ranges of its own |
//! | `#[range(name = "…")]` | has another key than the field in kebab-case |
//!
//! A field may be a number, or an option, list or map of numbers or such structs. NaN is in no range.
//!
//! ```
//! use kit::ranges::Ranges;
//!
//! #[derive(Ranges)]
//! struct Part {
//!     #[range(above = 0.0, below = 1.0)]
//!     held_out: f64,
//! }
//!
//! #[derive(Ranges)]
//! struct Values {
//!     #[range(at_least = 1)]
//!     repeats: u32,
//!     #[range(inside)]
//!     part: Part,
//! }
//!
//! let fault = Values { repeats: 3, part: Part { held_out: f64::NAN } }.fault().unwrap();
//! assert_eq!(fault.key, "part.held-out");
//! assert_eq!(fault.expected, "above 0 and below 1");
//! ```

use std::{collections::BTreeMap, fmt::Display};

pub use derive::Ranges;
use pipeline::{
    config::Config,
    error::{Error, Result},
};

/// Values with ranges.
pub trait Ranges {
    /// The first value that is out of its range, in the order of fields.
    fn fault(&self) -> Option<Fault>;

    /// Checks the values of `config`, which these are.
    ///
    /// # Errors
    /// If one is out of range: names file, line, key and what would be accepted.
    fn check(&self, config: &Config) -> Result<()> {
        self.fault().map_or(Ok(()), |fault| Err(fault.error(config)))
    }
}

/// A value that is out of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its key, from where the check began.
    pub key: String,
    /// What would be accepted.
    pub expected: String,
}

impl Fault {
    /// That of `key`, where something else is expected.
    #[must_use]
    pub fn new(key: &str, expected: &str) -> Self {
        Self { key: key.to_owned(), expected: expected.to_owned() }
    }

    /// The error about a value of `config`, with file and line.
    #[must_use]
    pub fn error(&self, config: &Config) -> Error {
        config.invalid(&self.key, &format!("expected {}", self.expected))
    }

    /// The same for a value below `key`.
    #[must_use]
    pub fn inside(mut self, key: impl Display) -> Self {
        // An entry of a list, or the value of `key` itself.
        let joined = self.key.is_empty() || self.key.starts_with('[');
        self.key = format!("{key}{}{}", if joined { "" } else { "." }, self.key);
        self
    }
}

/// A range of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The lower end, if it belongs to the range.
    pub at_least: Option<f64>,
    /// The lower end, if it does not.
    pub above: Option<f64>,
    /// The upper end, if it belongs to the range.
    pub at_most: Option<f64>,
    /// The upper end, if it does not.
    pub below: Option<f64>,
    /// The least number of entries of a list or map.
    pub entries: Option<f64>,
}

impl Range {
    /// Without ends.
    pub const ANY: Self =
        Self { at_least: None, above: None, at_most: None, below: None, entries: None };

    fn holds(&self, x: f64) -> bool {
        !x.is_nan()
            && self.at_least.is_none_or(|end| x >= end)
            && self.above.is_none_or(|end| x > end)
            && self.at_most.is_none_or(|end| x <= end)
            && self.below.is_none_or(|end| x < end)
    }

    fn fault(&self) -> Fault {
        let ends = [
            ("at least", self.at_least),
            ("above", self.above),
            ("at most", self.at_most),
            ("below", self.below),
        ];
        let ends = ends.into_iter().filter_map(|(word, end)| Some(format!("{word} {}", end?)));
        let one = ends.collect::<Vec<_>>().join(" and ");
        let expected = match self.entries {
            Some(least) if one.is_empty() => format!("at least {least} entries"),
            Some(least) => format!("at least {least} entries, each {one}"),
            None => one,
        };
        Fault { key: String::new(), expected }
    }
}

/// What can be in a range.
pub trait Ranged {
    /// The first value outside of `range`.
    fn outside(&self, range: &Range) -> Option<Fault>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Ranged for $number {
            fn outside(&self, range: &Range) -> Option<Fault> {
                (!range.holds(*self as f64)).then(|| range.fault())
            }
        }
    )*};
}

numbers!(f64, i64, u64, usize);

impl Ranged for u32 {
    fn outside(&self, range: &Range) -> Option<Fault> {
        f64::from(*self).outside(range)
    }
}

/// The first fault among entries, each with its key, of which there have to be enough.
fn among<'a, T: Ranged + 'a, K: Display>(
    entries: impl ExactSizeIterator<Item = (K, &'a T)>,
    range: &Range,
) -> Option<Fault> {
    if range.entries.is_some_and(|least| (entries.len() as f64) < least) {
        return Some(range.fault());
    }
    entries.into_iter().find_map(|(key, entry)| Some(entry.outside(range)?.inside(key)))
}

/// The keys of a list's entries.
fn numbered<T>(list: &[T]) -> impl ExactSizeIterator<Item = (String, &T)> {
    list.iter().enumerate().map(|(i, entry)| (format!("[{i}]"), entry))
}

impl<T: Ranged> Ranged for Vec<T> {
    fn outside(&self, range: &Range) -> Option<Fault> {
        among(numbered(self), range)
    }
}

impl<T: Ranged, const N: usize> Ranged for [T; N] {
    fn outside(&self, range: &Range) -> Option<Fault> {
        among(numbered(self), range)
    }
}

impl<T: Ranged> Ranged for BTreeMap<String, T> {
    fn outside(&self, range: &Range) -> Option<Fault> {
        among(self.iter(), range)
    }
}

impl<T: Ranged> Ranged for Option<T> {
    fn outside(&self, range: &Range) -> Option<Fault> {
        self.as_ref()?.outside(range)
    }
}

impl<T: Ranges> Ranges for Vec<T> {
    fn fault(&self) -> Option<Fault> {
        numbered(self).find_map(|(key, entry)| Some(entry.fault()?.inside(key)))
    }
}

impl<T: Ranges> Ranges for BTreeMap<String, T> {
    fn fault(&self) -> Option<Fault> {
        self.iter().find_map(|(key, entry)| Some(entry.fault()?.inside(key)))
    }
}

impl<T: Ranges> Ranges for Option<T> {
    fn fault(&self) -> Option<Fault> {
        self.as_ref()?.fault()
    }
}

#[cfg(test)]
#[path = "ranges_tests.rs"]
mod tests;
