//! The optimisers that are compared, and how much each may spend.

use numerics::space::Space;
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::{
        hebo_like::{HeboLike, HeboLikeSettings},
        smac_like::{SmacLike, SmacLikeSettings},
    },
    dodge::{Dodge, DodgeSettings},
    evolution::Evolution,
    multi_fidelity::{
        bohb::{Bohb, BohbSettings},
        brackets::{Arithmetic, Budgets, Sizes},
        dehb::{Dehb, DehbSettings},
        hyperband::HyperbandSettings,
    },
    random::Random,
    smoothie::{Direction, Smoothie, SmoothieSettings},
    tuner::{Error, Tuner},
};

use super::protocol::Peers;

/// An optimiser with what it may spend, in full trainings.
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
        /// Full trainings, or as many shorter ones as take the same epochs.
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

/// Most and fewest epochs of the multi-fidelity tuners are as 9 to 1, in thirds.
const FIDELITIES: Budgets =
    Budgets { minimum: 1, maximum: 9, eta: 3, arithmetic: Arithmetic::Exact, sizes: Sizes::Code };
/// One budget only: what DEHB makes of it where it is given no fidelities.
const ONE_FIDELITY: Budgets = Budgets { maximum: 1, ..FIDELITIES };

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

    /// Full trainings it may spend.
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

    /// Whether the authors' code made one run of it and reported that for every repeat.
    #[must_use]
    pub fn one_run(self, peers: Peers) -> bool {
        peers == Peers::Code && matches!(self, Self::Bohb { .. })
    }

    /// Whether the authors' code has it minimise the score.
    #[must_use]
    pub fn minimises(self, peers: Peers) -> bool {
        self.one_run(peers)
    }

    /// The tuner; `None` for a baseline that tunes nothing.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn tuner(self, space: Space, peers: Peers) -> Result<Option<Box<dyn Tuner>>, Error> {
        let hyperband = HyperbandSettings { budgets: FIDELITIES, brackets: None };
        Ok(Some(match (self, peers) {
            (Self::Smoothie { probes, full }, _) => {
                let settings = SmoothieSettings {
                    probes: probes as usize,
                    full: full as usize,
                    direction: Direction::Highest,
                };
                Box::new(Smoothie::new(space, settings)?)
            }
            (Self::Random { .. }, _) => Box::new(Random::new(space)),
            (Self::Bohb { .. }, Peers::Published) => {
                Box::new(Bohb::new(space, BohbSettings::on(hyperband))?)
            }
            (Self::Bohb { .. }, Peers::Code) => {
                Box::new(SmacLike::new(space, SmacLikeSettings::default())?)
            }
            (Self::Dehb { .. }, _) => {
                let budgets = if peers == Peers::Code { ONE_FIDELITY } else { FIDELITIES };
                let hyperband = HyperbandSettings { budgets, ..hyperband };
                let settings = DehbSettings { hyperband, evolution: Evolution::default() };
                Box::new(Dehb::new(space, settings)?)
            }
            (Self::HeboLike { .. }, _) => {
                Box::new(HeboLike::new(space, HeboLikeSettings::default())?)
            }
            (Self::Ghost { .. }, _) => Box::new(Dodge::new(space, DodgeSettings::default())?),
            (Self::Svm, _) => return Ok(None),
        }))
    }
}
