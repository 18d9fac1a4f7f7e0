//! The searches that are compared, by name, and the rounds of each.

use driver::Arm as _;
use tuners::{
    bayesian::gp_ei::GpEiSettings,
    harmonica::HarmonicaSettings,
    multi_fidelity::{
        brackets::{Bracket, Ladder},
        hyperband::HyperbandSettings,
        successive_halving::SuccessiveHalvingSettings,
    },
    tuner::{Error, Tuner},
};

use super::{
    arms::{
        gp_ei::GpEi, halving::Halving, harmonica::Harmonica, hyperband::Hyperband, random::Random,
    },
    signs,
};

/// A search over the binary variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    /// Random search.
    Random,
    /// Successive halving.
    SuccessiveHalving(SuccessiveHalvingSettings),
    /// Hyperband.
    Hyperband(HyperbandSettings),
    /// A Gaussian process with expected improvement.
    GpEi(GpEiSettings),
    /// Harmonica.
    Harmonica {
        /// Number of its stages.
        settings: HarmonicaSettings,
        /// Whether successive halving follows them; otherwise random search.
        base: Option<SuccessiveHalvingSettings>,
    },
}

impl Search {
    /// The tuner, on this many variables.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn tuner(self, variables: usize) -> Result<Box<dyn Tuner>, Error> {
        let space = signs::space(variables)?;
        match self {
            Self::Random => Random {}.tuner(space),
            Self::SuccessiveHalving(settings) => Halving(settings).tuner(space),
            Self::Hyperband(settings) => Hyperband(settings).tuner(space),
            Self::GpEi(settings) => GpEi(settings).tuner(space),
            Self::Harmonica { settings, base } => Harmonica { settings, base }.tuner(space),
        }
    }
}

/// The number of configurations in each round of brackets that all start at once: a round contains everything
/// that waits for no loss. `limit` brackets are run, in cycles.
#[must_use]
pub fn rounds(brackets: &[Bracket], limit: u64) -> Vec<usize> {
    let run: Vec<&Bracket> = brackets.iter().cycle().take(limit as usize).collect();
    let longest = run.iter().map(|bracket| bracket.len()).max().unwrap_or(0);
    let size = |round: usize| run.iter().filter_map(|b| b.get(round)).map(|rung| rung.size).sum();
    (0..longest).map(size).filter(|&size| size > 0).collect()
}

/// The rounds of successive halving.
///
/// # Errors
/// If a setting is out of range.
pub fn halving_rounds(settings: SuccessiveHalvingSettings) -> Result<Vec<usize>, Error> {
    let bracket = Ladder::new(settings.budgets)?.starting_with(settings.configurations);
    Ok(rounds(&[bracket], settings.brackets.unwrap_or(1)))
}

/// The rounds of Hyperband.
///
/// # Errors
/// If a setting is out of range.
pub fn hyperband_rounds(settings: HyperbandSettings) -> Result<Vec<usize>, Error> {
    let cycle = Ladder::new(settings.budgets)?.cycle();
    let limit = settings.brackets.unwrap_or(cycle.len() as u64);
    Ok(rounds(&cycle, limit))
}
