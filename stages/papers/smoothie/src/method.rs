//! The compared optimisers, and the budget of each.

use serde::{Deserialize, Serialize};

use super::{arm::Spend, protocol::Peers};

/// An optimiser with its budget, in full trainings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Method {
    /// Algorithm 1: N1 probes, of which N2 are run in full.
    Smoothie {
        /// N1.
        probes: u32,
        /// N2.
        full: u32,
    },
    /// Random search.
    Random {
        /// Full trainings.
        budget: u32,
    },
    /// BOHB.
    Bohb {
        /// Number of full trainings, or of shorter ones with the same total of epochs.
        budget: u32,
    },
    /// DEHB.
    Dehb {
        /// As for BOHB.
        budget: u32,
    },
    /// A tuner like HEBO, the baseline of Table VIII.
    HeboLike {
        /// Full trainings.
        budget: u32,
    },
    /// GHOST, the baseline of Table VII: DODGE on over-sampled rows.
    Ghost {
        /// Full trainings.
        budget: u32,
    },
    /// A support vector machine with its defaults, the baseline of Table V.
    Svm,
}

impl Method {
    /// Its name in stages and tables.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Smoothie { .. } => "smoothie".to_owned(),
            Self::Random { budget } => format!("random-{budget}"),
            Self::Bohb { budget } => format!("bohb-{budget}"),
            Self::Dehb { budget } => format!("dehb-{budget}"),
            Self::HeboLike { .. } => "hebo-like".to_owned(),
            Self::Ghost { .. } => "ghost".to_owned(),
            Self::Svm => "svm".to_owned(),
        }
    }

    /// Number of full trainings that it can spend.
    #[must_use]
    pub fn budget(self) -> u32 {
        match self {
            Self::Smoothie { full, .. } => full,
            Self::Random { budget }
            | Self::Bohb { budget }
            | Self::Dehb { budget }
            | Self::HeboLike { budget }
            | Self::Ghost { budget } => budget,
            Self::Svm => 1,
        }
    }

    /// Whether the authors' code made only one run of it and reported that for every repeat.
    #[must_use]
    pub fn one_run(self, peers: Peers) -> bool {
        peers == Peers::Code && matches!(self, Self::Bohb { .. })
    }

    /// Whether it minimises the score in the authors' code.
    #[must_use]
    pub fn minimises(self, peers: Peers) -> bool {
        self.one_run(peers)
    }

    /// The budget.
    #[must_use]
    pub fn spend(self) -> Spend {
        let probes = if let Self::Smoothie { probes, .. } = self { probes } else { 0 };
        Spend { probes, budget: self.budget() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_budgets_apart_where_one_tuner_has_several() {
        let all = [
            (Method::Smoothie { probes: 30, full: 5 }, "smoothie", 30, 5),
            (Method::Random { budget: 5 }, "random-5", 0, 5),
            (Method::Bohb { budget: 30 }, "bohb-30", 0, 30),
            (Method::Dehb { budget: 30 }, "dehb-30", 0, 30),
            (Method::HeboLike { budget: 30 }, "hebo-like", 0, 30),
            (Method::Ghost { budget: 30 }, "ghost", 0, 30),
            (Method::Svm, "svm", 0, 1),
        ];
        for (method, label, probes, budget) in all {
            assert_eq!(method.label(), label);
            assert_eq!(method.spend(), Spend { probes, budget }, "{label}");
        }
    }

    #[test]
    fn only_the_codes_bohb_is_one_run_that_minimises() {
        let bohb = Method::Bohb { budget: 5 };
        assert!(bohb.one_run(Peers::Code) && bohb.minimises(Peers::Code));
        assert!(!bohb.one_run(Peers::Published) && !bohb.minimises(Peers::Published));
        assert!(!Method::Dehb { budget: 5 }.one_run(Peers::Code));
    }
}
