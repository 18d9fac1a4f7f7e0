//! Replays the rounds of a search over signs to its tuner.

use rand_chacha::ChaCha12Rng;
use tuners::{
    rounds::{self, RoundError},
    tuner::Tuner,
};

use super::{rows::Tried, signs};

/// A result of an earlier round.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Number of the trial within the search.
    pub number: u64,
    /// The configuration that was tried.
    pub minus: Vec<bool>,
    /// Its loss.
    pub value: f64,
}

/// The rounds in the form in which a tuner is told them.
#[must_use]
pub fn told(rounds: &[Vec<Tried>]) -> Vec<Vec<Told>> {
    let told = |tried: &Tried| Told {
        number: tried.asked.number.into(),
        minus: tried.asked.minus.clone(),
        value: tried.error,
    };
    rounds.iter().map(|round| round.iter().map(told).collect()).collect()
}

/// Replays the earlier rounds, in order. Afterwards the tuner and `rng` are in the state after the last of
/// them was told.
///
/// # Errors
/// If a round does not hold the results of the tuner's suggestions.
pub fn replay(
    tuner: &mut dyn Tuner,
    rounds: &[Vec<Told>],
    rng: &mut ChaCha12Rng,
) -> Result<(), RoundError> {
    rounds::replay(tuner, rounds, rng, |suggestion, told| {
        let same =
            suggestion.id == told.number && signs::of_config(&suggestion.config) == told.minus;
        Ok(same.then_some(told.value))
    })
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::network::search::{Search, halving_rounds, hyperband_rounds};
    use tuners::{
        bayesian::gp_ei::GpEiSettings,
        harmonica::{HarmonicaSettings, Penalty},
        multi_fidelity::{
            brackets::{Arithmetic, Budgets, Sizes},
            hyperband::HyperbandSettings,
            successive_halving::SuccessiveHalvingSettings,
        },
        rounds::ask,
        tuner::{Suggestion, Trial},
    };

    const VARIABLES: usize = 12;

    /// A cheap function of three variables with some variation.
    fn value(minus: &[bool]) -> f64 {
        let sign = |i: usize| if minus[i] { -1.0 } else { 1.0 };
        let spread: f64 = (0..VARIABLES).map(|i| 0.01 * (i * i) as f64 * sign(i)).sum();
        3.0 * sign(2) - 2.0 * sign(5) * sign(7) + spread
    }

    /// One loop: ask until there is nothing to ask, then tell all results, in any order.
    fn whole(search: Search, sizes: &[usize], seed: u64) -> Vec<Suggestion> {
        let mut tuner = search.tuner(VARIABLES).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut order = ChaCha12Rng::seed_from_u64(99);
        let mut all = Vec::new();
        for &size in sizes {
            let mut round = ask(tuner.as_mut(), size, &mut rng).unwrap();
            all.extend(round.clone());
            while !round.is_empty() {
                let suggestion = round.swap_remove(order.random_range(0..round.len()));
                let value = value(&signs::of_config(&suggestion.config));
                tuner.tell(Trial { suggestion, value });
            }
        }
        all
    }

    /// A new tuner for every round, to which the results of the earlier ones are replayed.
    fn in_rounds(search: Search, sizes: &[usize], seed: u64) -> Vec<Suggestion> {
        let mut told: Vec<Vec<Told>> = Vec::new();
        let mut all = Vec::new();
        for &size in sizes {
            let mut tuner = search.tuner(VARIABLES).unwrap();
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            replay(tuner.as_mut(), &told, &mut rng).unwrap();
            let round = ask(tuner.as_mut(), size, &mut rng).unwrap();
            let tell = |s: &Suggestion| {
                let minus = signs::of_config(&s.config);
                Told { number: s.id, value: value(&minus), minus }
            };
            told.push(round.iter().map(tell).collect());
            all.extend(round);
        }
        all
    }

    fn harmonica(stages: usize, base: Option<SuccessiveHalvingSettings>) -> Search {
        let penalty = Penalty::Absolute { alpha: 0.1 };
        let settings = HarmonicaSettings {
            stages,
            samples: 30,
            features: 2,
            penalty,
            ..HarmonicaSettings::default()
        };
        Search::Harmonica { settings, base }
    }

    fn halving() -> SuccessiveHalvingSettings {
        let budgets = Budgets {
            minimum: 2,
            maximum: 16,
            eta: 2,
            arithmetic: Arithmetic::Exact,
            sizes: Sizes::Paper,
        };
        SuccessiveHalvingSettings { budgets, configurations: 9, brackets: Some(1) }
    }

    #[test]
    fn rounds_ask_for_what_one_loop_asks_for() {
        let hyperband = HyperbandSettings { budgets: halving().budgets, brackets: Some(6) };
        let rungs = halving_rounds(halving()).unwrap();
        assert_eq!(rungs, [9, 4, 2, 1]);
        let samples = |stages: usize, more: &[usize]| [&vec![30; stages][..], more].concat();
        let quick = GpEiSettings {
            grid: 64,
            refined: 1,
            burn_in: 3,
            samples: 2,
            ..GpEiSettings::default()
        };
        let cases = [
            (Search::Random, vec![3, 21]),
            (Search::SuccessiveHalving(halving()), rungs.clone()),
            (Search::Hyperband(hyperband), hyperband_rounds(hyperband).unwrap()),
            (Search::GpEi(quick), vec![1; 6]),
            (harmonica(2, Some(halving())), samples(2, &rungs)),
            (harmonica(3, None), samples(3, &[5])),
        ];
        for (search, sizes) in cases {
            for seed in 0..3 {
                let all = whole(search, &sizes, seed);
                assert_eq!(in_rounds(search, &sizes, seed), all, "{search:?}");
                assert_eq!(all.len(), sizes.iter().sum::<usize>());
            }
        }
    }

    #[test]
    fn variants_of_harmonica_begin_alike() {
        let three = whole(harmonica(3, None), &[30, 30, 30], 1);
        let one = whole(harmonica(1, Some(halving())), &[30, 9], 1);
        assert_eq!(one[..30], three[..30]);
        let fourth = whole(harmonica(4, None), &[30, 30, 30, 7], 1);
        assert_eq!(fourth[..90], three[..]);
    }

    #[test]
    fn results_of_something_else_are_refused() {
        let told = |number, minus| vec![vec![Told { number, minus, value: 1.0 }]];
        let again = |told: &[Vec<Told>]| {
            let mut tuner = Search::Random.tuner(VARIABLES).unwrap();
            replay(tuner.as_mut(), told, &mut ChaCha12Rng::seed_from_u64(1))
        };
        let asked = whole(Search::Random, &[1], 1).remove(0);
        let minus = signs::of_config(&asked.config);
        assert_eq!(again(&told(0, minus.clone())), Ok(()));
        assert_eq!(again(&told(1, minus.clone())), Err(RoundError::Other { number: 0 }));
        let mut other = minus;
        other[3] ^= true;
        assert_eq!(again(&told(0, other)), Err(RoundError::Other { number: 0 }));
        let mut tuner = Search::SuccessiveHalving(halving()).tuner(VARIABLES).unwrap();
        let short = ask(tuner.as_mut(), 10, &mut ChaCha12Rng::seed_from_u64(1));
        assert_eq!(short, Err(RoundError::Short { asked: 9, wanted: 10 }));
    }
}
