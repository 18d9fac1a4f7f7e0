//! The searches that a tuned training is compared with, over hyper-parameters by name; and a search in
//! rounds, each of which depends only on the results of the earlier rounds.

use numerics::space::{Domain, Parameter, Space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use tuners::{
    bayesian::gp_ei::{GpEi, GpEiSettings},
    grid::Grid,
    multi_fidelity::{
        brackets::Ladder,
        hyperband::{Hyperband, HyperbandSettings},
    },
    random::Random,
    rounds::{self, RoundError},
    tuner::{Error, Fidelity, Suggestion, Tuner},
};

use super::asked::Asked;

/// The interval in which a hyper-parameter is searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bound {
    /// The hyper-parameter.
    pub name: String,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Search {
    /// A grid with a number of values per group of hyper-parameters with the same range.
    ///
    /// DIFFERS: the grid of \[MacKay2019\] is not described. One over seven hyper-parameters has at
    /// least 128 points, so those with the same bounds share a value here.
    Grid {
        /// Number of values.
        points: usize,
    },
    /// Random search.
    Random,
    /// A Gaussian process with expected improvement.
    GpEi(GpEiSettings),
    /// Hyperband.
    Hyperband(HyperbandSettings),
}

/// Why a round could not be computed.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum AskError {
    /// A setting is out of range.
    #[error(transparent)]
    Tuner(#[from] Error),
    /// The results do not match, or there is nothing more to ask.
    #[error(transparent)]
    Round(#[from] RoundError),
    /// An invalid part of a full training.
    #[error("the search asks for a probe")]
    Probe,
}

/// The space within these bounds.
///
/// # Errors
/// If a bound is invalid.
pub fn space(bounds: &[Bound]) -> Result<Space, Error> {
    Search::Random.space(bounds)
}

impl Search {
    /// The hyper-parameters that vary separately: the first of those that share a value.
    fn space(self, bounds: &[Bound]) -> Result<Space, Error> {
        let shared = matches!(self, Self::Grid { .. });
        let first = |i: usize| !shared || leader(bounds, i) == i;
        let own = (0..bounds.len()).filter(|&i| first(i)).map(|i| {
            let Bound { name, low, high } = bounds[i].clone();
            Parameter { name, domain: Domain::Float { low, high, log: false } }
        });
        Ok(Space::new(own.collect())?)
    }

    fn tuner(self, bounds: &[Bound]) -> Result<Box<dyn Tuner>, Error> {
        let space = self.space(bounds)?;
        Ok(match self {
            Self::Grid { points } => Box::new(Grid::new(space, points)?),
            Self::Random => Box::new(Random::new(space)),
            Self::GpEi(settings) => Box::new(GpEi::new(space, settings)?),
            Self::Hyperband(settings) => Box::new(Hyperband::new(space, settings)?),
        })
    }

    /// The number of configurations in each of its rounds, given a budget in full trainings: a round contains
    /// everything that waits for no result.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn rounds(self, bounds: &[Bound], budget: usize) -> Result<Vec<usize>, Error> {
        let space = self.space(bounds)?;
        self.tuner(bounds)?;
        Ok(match self {
            Self::Grid { points } => vec![points.saturating_pow(space.dimensions() as u32)],
            Self::Random => vec![budget],
            Self::GpEi(_) => vec![1; budget],
            Self::Hyperband(settings) => {
                let cycle = Ladder::new(settings.budgets)?.cycle();
                let limit = settings.brackets.unwrap_or(cycle.len() as u64);
                let run: Vec<_> = cycle.iter().cycle().take(limit as usize).collect();
                let longest = run.iter().map(|bracket| bracket.len()).max().unwrap_or(0);
                let size = |round: usize| {
                    run.iter().filter_map(|b| b.get(round)).map(|rung| rung.size).sum()
                };
                (0..longest).map(size).filter(|&size| size > 0).collect()
            }
        })
    }

    /// The cost of all rounds in full trainings, where each training starts from scratch.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn cost(self, bounds: &[Bound], budget: usize) -> Result<f64, Error> {
        if let Self::Hyperband(settings) = self {
            let ladder = Ladder::new(settings.budgets)?;
            let cycle = ladder.cycle();
            let limit = settings.brackets.unwrap_or(cycle.len() as u64);
            let all = cycle.iter().cycle().take(limit as usize);
            let cost: f64 = all.map(|bracket| ladder.cost(bracket)).sum();
            return Ok(cost / settings.budgets.maximum as f64);
        }
        Ok(self.rounds(bounds, budget)?.iter().sum::<usize>() as f64)
    }

    /// Asks for a round of `size`, after the earlier rounds and their losses, in the order of asking.
    /// `epochs` make a full training.
    ///
    /// # Errors
    /// If a round does not hold the results of the search's suggestions, or there is nothing more to ask.
    pub fn ask(
        self,
        bounds: &[Bound],
        earlier: &[Vec<(Asked, f64)>],
        size: usize,
        epochs: u32,
        rng: &mut ChaCha12Rng,
    ) -> Result<Vec<Asked>, AskError> {
        let mut tuner = self.tuner(bounds)?;
        let asked = |s: &Suggestion| self.asked(bounds, s, epochs);
        rounds::replay(tuner.as_mut(), earlier, rng, |suggestion, (told, value)| {
            Ok::<_, AskError>((asked(suggestion)? == *told).then_some(*value))
        })?;
        rounds::ask(tuner.as_mut(), size, rng)?.iter().map(asked).collect()
    }

    fn asked(
        self,
        bounds: &[Bound],
        suggestion: &Suggestion,
        epochs: u32,
    ) -> Result<Asked, AskError> {
        let Fidelity::Part { divisor } = suggestion.fidelity else {
            return Err(AskError::Probe);
        };
        let space = self.space(bounds)?;
        let place = |name: &str| space.parameters().iter().position(|p| p.name == name);
        let value = |(i, bound): (usize, &Bound)| {
            let place = place(&bound.name).or_else(|| place(&bounds[leader(bounds, i)].name));
            (bound.name.clone(), suggestion.config[place.unwrap_or(0)])
        };
        Ok(Asked {
            number: u32::try_from(suggestion.id).unwrap_or(u32::MAX),
            epochs: (epochs / u32::try_from(divisor).unwrap_or(u32::MAX)).max(1),
            values: bounds.iter().enumerate().map(value).collect(),
        })
    }
}

/// The first hyper-parameter with the same bounds.
fn leader(bounds: &[Bound], i: usize) -> usize {
    let same = |b: &Bound| b.low == bounds[i].low && b.high == bounds[i].high;
    bounds.iter().position(same).unwrap_or(i)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use tuners::multi_fidelity::brackets::{Arithmetic, Budgets, Sizes};

    fn bounds() -> Vec<Bound> {
        let bound = |(name, high): (&str, f64)| Bound { name: name.to_owned(), low: 0.0, high };
        [("a", 0.9), ("b", 0.9), ("c", 4.0)].map(bound).to_vec()
    }

    fn loss(asked: &Asked) -> f64 {
        asked.values.iter().map(|(_, v)| (v - 0.3).powi(2)).sum()
    }

    /// All rounds, each with a new search.
    fn run(search: Search, budget: usize, seed: u64) -> Vec<Asked> {
        let mut told: Vec<Vec<(Asked, f64)>> = Vec::new();
        for size in search.rounds(&bounds(), budget).unwrap() {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let round = search.ask(&bounds(), &told, size, 9, &mut rng).unwrap();
            told.push(round.into_iter().map(|a| (a.clone(), loss(&a))).collect());
        }
        told.into_iter().flatten().map(|(asked, _)| asked).collect()
    }

    fn hyperband() -> Search {
        let budgets = Budgets {
            minimum: 1,
            maximum: 9,
            eta: 3,
            arithmetic: Arithmetic::Exact,
            sizes: Sizes::Paper,
        };
        Search::Hyperband(HyperbandSettings { budgets, brackets: Some(1) })
    }

    #[test]
    fn the_points_of_a_grid_share_values() {
        let all = run(Search::Grid { points: 2 }, 4, 1);
        let values: Vec<Vec<f64>> =
            all.iter().map(|a| a.values.iter().map(|v| v.1).collect()).collect();
        let by_hand = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [0.9, 0.9, 0.0], [0.9, 0.9, 4.0]];
        assert_eq!(values, by_hand);
    }

    #[test]
    fn rounds_go_on_where_the_earlier_ones_led() {
        let quick = GpEiSettings {
            grid: 64,
            refined: 1,
            burn_in: 3,
            samples: 2,
            ..GpEiSettings::default()
        };
        for search in [Search::Random, Search::GpEi(quick)] {
            let (short, long) = (run(search, 3, 7), run(search, 5, 7));
            assert_eq!(short, long[..3]);
            assert_eq!(search.cost(&bounds(), 5).unwrap(), 5.0);
        }
        let all = run(hyperband(), 9, 2);
        assert_eq!(all.iter().map(|a| a.epochs).sum::<u32>(), 27);
        assert_eq!(hyperband().cost(&bounds(), 9).unwrap(), 3.0);
        // The last one is the best of those from which it was chosen.
        let best = |epochs: u32| {
            let own = all.iter().filter(|a| a.epochs == epochs);
            own.min_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap()
        };
        assert_eq!(best(9).values, best(1).values);
    }

    #[test]
    fn results_of_something_else_are_refused() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut asked = Search::Random.ask(&bounds(), &[], 1, 9, &mut rng).unwrap();
        asked[0].values[0].1 += 1e-3;
        let told = vec![vec![(asked[0].clone(), 1.0)]];
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let again = Search::Random.ask(&bounds(), &told, 1, 9, &mut rng);
        assert_eq!(again, Err(RoundError::Other { number: 0 }.into()));
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let short = Search::Grid { points: 2 }.ask(&bounds(), &[], 5, 9, &mut rng);
        assert_eq!(short, Err(RoundError::Short { asked: 4, wanted: 5 }.into()));
    }
}
