//! The entry point for a user-defined loss: asks a tuner, evaluates and tells, until the evaluations are used
//! up.

use rand_chacha::ChaCha12Rng;

use crate::tuner::{Fidelity, Suggestion, Trial, Tuner};

/// The evaluations of a search, in the order of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Every evaluation, including probes and partial ones.
    pub trials: Vec<Trial>,
}

impl Found {
    /// The lowest finite loss of a full evaluation; the first of equals. `None` if there is none.
    pub fn best(&self) -> Option<&Trial> {
        let full = self.trials.iter().filter(|t| t.suggestion.fidelity == Fidelity::FULL);
        full.filter(|t| t.value.is_finite()).min_by(|a, b| a.value.total_cmp(&b.value))
    }
}

/// Minimises `loss` with a tuner, in at most the given number of evaluations; a tuner that has nothing more
/// to ask ends earlier. A loss that is NaN or infinite is a failed evaluation, which counts as the worst.
///
/// The loss is given a [`Suggestion`]: the configuration, one number per parameter in the order of the space,
/// and the fidelity. The latter is [`Fidelity::FULL`] unless the tuner uses several fidelities.
///
/// ```
/// use numerics::space::Bounds;
/// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
/// use tuners::{minimise::minimise, random::Random};
///
/// let mut tuner = Random::new(Bounds::cube(2, 1.0)?);
/// let mut rng = ChaCha12Rng::seed_from_u64(1);
/// let found = minimise(&mut tuner, 100, &mut rng, |s| s.config.iter().map(|x| x * x).sum());
/// assert!(found.best().is_some_and(|best| best.value < 0.1));
/// # Ok::<(), numerics::space::Error>(())
/// ```
pub fn minimise(
    tuner: &mut dyn Tuner,
    evaluations: usize,
    rng: &mut ChaCha12Rng,
    mut loss: impl FnMut(&Suggestion) -> f64,
) -> Found {
    let mut trials = Vec::new();
    while trials.len() < evaluations {
        let Some(suggestion) = tuner.ask(rng) else { break };
        let trial = Trial { value: loss(&suggestion), suggestion };
        tuner.tell(trial.clone());
        trials.push(trial);
    }
    Found { trials }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::grid::Grid;
    use crate::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};
    use crate::multi_fidelity::successive_halving::{SuccessiveHalving, SuccessiveHalvingSettings};
    use numerics::space::Bounds;

    fn rng() -> ChaCha12Rng {
        ChaCha12Rng::seed_from_u64(1)
    }

    #[test]
    fn ends_with_the_evaluations_or_with_the_tuner() {
        let grid = || Grid::new(Bounds::cube(1, 1.0).unwrap(), 5).unwrap();
        let square = |s: &Suggestion| s.config[0] * s.config[0];
        assert_eq!(minimise(&mut grid(), 3, &mut rng(), square).trials.len(), 3);
        let all = minimise(&mut grid(), 100, &mut rng(), square);
        assert_eq!((all.trials.len(), all.best().unwrap().suggestion.config[0]), (5, 0.0));
    }

    #[test]
    fn what_failed_or_was_partial_is_not_the_best() {
        let mut grid = Grid::new(Bounds::cube(1, 1.0).unwrap(), 3).unwrap();
        let failing = |s: &Suggestion| if s.config[0] > 0.5 { 2.0 } else { f64::NAN };
        let best = minimise(&mut grid, 9, &mut rng(), failing).best().cloned().unwrap();
        assert_eq!((best.suggestion.config[0], best.value), (1.0, 2.0));
        let mut grid = Grid::new(Bounds::cube(1, 1.0).unwrap(), 3).unwrap();
        assert_eq!(minimise(&mut grid, 9, &mut rng(), |_| f64::NAN).best(), None);

        let (arithmetic, sizes) = (Arithmetic::Exact, Sizes::Code);
        let budgets = Budgets { minimum: 1, maximum: 9, eta: 3, arithmetic, sizes };
        let settings = SuccessiveHalvingSettings { budgets, configurations: 9, brackets: None };
        let space = Bounds::cube(1, 1.0).unwrap();
        let mut halving = SuccessiveHalving::new(space, settings).unwrap();
        // The smaller the share, the lower the observed loss.
        let loss = |s: &Suggestion| s.config[0].abs() + s.fidelity.of(1.0);
        let found = minimise(&mut halving, 9 + 3 + 1, &mut rng(), loss);
        let full = |t: &&Trial| t.suggestion.fidelity == Fidelity::FULL;
        assert_eq!(found.trials.iter().filter(full).count(), 1);
        assert!(found.best().is_some_and(|best| best.value >= 1.0));
    }
}
