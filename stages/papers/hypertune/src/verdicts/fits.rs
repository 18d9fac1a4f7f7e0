//! Counts the suggestions of searches for which no process could be fitted, so that a configuration was drawn. Tables
//! have no column for it: they have the noise of the last process, which stays the same if the next fit fails.

use crate::trials::{Entry, Trials};

/// The suggestions of searches after their random starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fits {
    /// How many there are.
    asked: usize,
    /// For how many of them no process could be fitted.
    failed: usize,
}

impl Fits {
    /// Of searches with equally many random starts: the fewest evaluations that precede a first process.
    pub(super) fn of<'a>(searches: impl Iterator<Item = &'a Trials> + Clone) -> Self {
        let before =
            |search: &Trials| search.entries.iter().take_while(|e| e.noise.is_none()).count();
        let starts = searches.clone().map(before).min().unwrap_or(0);
        let mut fits = Self::default();
        for Trials { entries, .. } in searches {
            for i in starts..entries.len() {
                fits.asked += 1;
                let last = i.checked_sub(1).and_then(|last| entries[last].noise);
                let same = entries[i].noise == last && varied(&entries[..i]);
                fits.failed += usize::from(entries[i].noise.is_none() || same);
            }
        }
        fits
    }

    /// The failures in words that end a sentence; empty without one.
    pub(super) fn told(self) -> String {
        let Self { asked, failed } = self;
        if failed == 0 {
            return String::new();
        }
        format!(
            "; {failed} of HyperTune's {asked} suggestions were drawn, since no process could be fitted"
        )
    }
}

/// Whether errors differ. The noise is told in their variance; if all are equal, every fit gives the same.
fn varied(told: &[Entry]) -> bool {
    told.iter().any(|e| e.validation != told[0].validation)
}

#[cfg(test)]
#[path = "fits_tests.rs"]
mod tests;
