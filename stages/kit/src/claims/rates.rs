//! Counts the outcomes of simulated evidence, with the paper's effect and without it, and decides by them whether an
//! answer counts.

use super::rule::Joined;
use crate::row::Row;

/// A criterion that is met more often than this where the claim is not true is vacuous.
const VACUOUS: f64 = 0.1;
/// The least share of simulations with the paper's effect in which the criterion is to be met, for a
/// claim that misses it to be contradicted; or else the most of them that may miss it.
const POWER: f64 = 0.8;
const MISSED: f64 = 0.05;

/// How often simulated evidence of one world ended how.
#[derive(Row, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// simulations that meet the criterion
    pub met: u32,
    /// simulations that meet it in some places
    pub in_part: u32,
    /// simulations that miss it
    pub missed: u32,
    /// simulations that cannot tell
    pub open: u32,
}

impl Ends {
    pub(super) fn count(&mut self, joined: Joined) {
        *match joined {
            Joined::Met => &mut self.met,
            Joined::InPart => &mut self.in_part,
            Joined::Missed => &mut self.missed,
            Joined::Open => &mut self.open,
        } += 1;
    }

    fn share(self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.met + self.in_part + self.missed + self.open)
    }
}

/// How often each world ended how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Where the claim is true.
    pub claimed: Ends,
    /// Where it is not.
    pub absent: Ends,
}

impl Rates {
    /// The share of simulations with the paper's effect that meet the criterion.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.claimed.share(self.claimed.met)
    }

    /// The share of simulations without it that meet the criterion all the same.
    #[must_use]
    pub fn false_positives(&self) -> f64 {
        self.absent.share(self.absent.met)
    }

    /// What of the answer stands, and why if it does not. A criterion that is met without the effect tells
    /// nothing. One that is missed tells something only if it would have been met with the effect, or at
    /// least hardly ever missed.
    #[must_use]
    pub fn trusted(&self, joined: Joined) -> (Joined, Option<String>) {
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        if joined == Joined::Open {
            return (joined, None);
        }
        if self.false_positives() > VACUOUS {
            let share = percent(self.false_positives());
            let why = format!(
                "vacuous here: {share} of simulations without the effect meet the criterion"
            );
            return (Joined::Open, Some(why));
        }
        let missed = self.claimed.share(self.claimed.missed + self.claimed.in_part);
        if joined != Joined::Met && self.power() < POWER && missed > MISSED {
            let (power, missed) = (percent(self.power()), percent(missed));
            let why = format!(
                "too little evidence: of simulations with the paper's effect {power} meet the criterion, \
                 {missed} miss it"
            );
            return (Joined::Open, Some(why));
        }
        (joined, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_counts_where_the_effect_would_have_shown() {
        let of = |met, missed, open| Rates {
            claimed: Ends { met, missed, open, in_part: 0 },
            absent: Ends { open: 200, ..Ends::default() },
        };
        assert_eq!(of(170, 30, 0).trusted(Joined::Missed).0, Joined::Missed, "power is 85%");
        assert_eq!(of(100, 100, 0).trusted(Joined::Missed).0, Joined::Open);
        assert_eq!(
            of(100, 4, 96).trusted(Joined::Missed).0,
            Joined::Missed,
            "it is hardly ever missed"
        );
        assert_eq!(of(10, 100, 90).trusted(Joined::Met).0, Joined::Met, "met all the same");
        assert_eq!(of(0, 0, 200).trusted(Joined::Open), (Joined::Open, None));
    }
}
