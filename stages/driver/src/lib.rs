//! Drives a tuner from a stage: asks it, has its suggestions evaluated, and tells it what was found, until the
//! budget is spent. What the tuner itself takes is measured on clocks of its own, so that it never mixes with the
//! time of evaluations. Rounds that are told later are `tuners::rounds`.

mod arm;
mod budget;

use std::time::Instant;

use pipeline::{machine, stage::Stop};
use rand_chacha::ChaCha12Rng;
use tuners::tuner::{Suggestion, Trial, Tuner};

pub use arm::Arm;
pub use budget::Budget;

/// What was found about a suggestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// The loss; NaN if the evaluation failed.
    pub value: f64,
    /// What the evaluation cost, for tuners that weigh costs.
    pub spent: Option<f64>,
}

impl From<f64> for Told {
    fn from(value: f64) -> Self {
        Self { value, spent: None }
    }
}

impl Told {
    /// The same after an evaluation of this cost.
    #[must_use]
    pub fn spent(self, cost: f64) -> Self {
        Self { spent: Some(cost), ..self }
    }
}

/// Seconds that a tuner itself took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Took {
    /// Of processors.
    pub cpu_s: f64,
    /// That passed.
    pub wall_s: f64,
}

/// A search under way.
pub struct Search<'a, T: ?Sized> {
    tuner: &'a mut T,
    rng: &'a mut ChaCha12Rng,
    took: Took,
}

impl<'a, T: Tuner + ?Sized> Search<'a, T> {
    /// A search by `tuner`, which draws from `rng`.
    pub fn new(tuner: &'a mut T, rng: &'a mut ChaCha12Rng) -> Self {
        Self { tuner, rng, took: Took::default() }
    }

    /// What the tuner has taken so far.
    #[must_use]
    pub fn took(&self) -> Took {
        self.took
    }

    /// Asks, evaluates and tells at most `most` times. It ends earlier when the tuner has nothing more to ask, or when
    /// `evaluate` returns `None` since a suggestion is beyond the budget: that one is not told.
    ///
    /// # Errors
    /// Those of `evaluate`, at once.
    pub fn run(
        &mut self,
        most: usize,
        mut evaluate: impl FnMut(&Suggestion, &T) -> Result<Option<Told>, Stop>,
    ) -> Result<(), Stop> {
        for _ in 0..most {
            let Some(suggestion) = self.timed(tuners::tuner::Tuner::ask) else { break };
            let Some(Told { value, spent }) = evaluate(&suggestion, self.tuner)? else { break };
            self.timed(|tuner, _| {
                if let Some(cost) = spent {
                    tuner.spent(suggestion.id, cost);
                }
                tuner.tell(Trial { suggestion, value });
            });
        }
        Ok(())
    }

    /// What `work` returns, with its time on the clocks.
    pub fn timed<R>(&mut self, work: impl FnOnce(&mut T, &mut ChaCha12Rng) -> R) -> R {
        let (cpu, wall) = (machine::cpu_seconds(), Instant::now());
        let result = work(self.tuner, self.rng);
        self.took.cpu_s += machine::cpu_seconds() - cpu;
        self.took.wall_s += wall.elapsed().as_secs_f64();
        result
    }
}

#[cfg(test)]
mod tests {
    use numerics::space::Bounds;
    use rand_chacha::rand_core::SeedableRng as _;
    use tuners::{grid::Grid, random::Random};

    use super::*;

    fn rng() -> ChaCha12Rng {
        ChaCha12Rng::seed_from_u64(1)
    }

    #[test]
    fn a_search_ends_with_its_evaluations_its_tuner_or_its_budget() {
        let space = || Bounds::cube(1, 1.0).unwrap();
        let count = |most, budget: usize| {
            let (mut grid, mut rng, mut count) = (Grid::new(space(), 5).unwrap(), rng(), 0);
            let mut search = Search::new(&mut grid, &mut rng);
            let told = |suggestion: &Suggestion, _: &Grid| {
                count += usize::from(count < budget);
                Ok((count < budget).then(|| Told::from(suggestion.config[0])))
            };
            search.run(most, told).unwrap();
            count
        };
        assert_eq!([count(3, 9), count(usize::MAX, 9), count(9, 2)], [3, 5, 2]);
    }

    #[test]
    fn an_error_ends_a_search_at_once() {
        let (mut tuner, mut rng) = (Random::new(Bounds::cube(1, 1.0).unwrap()), rng());
        let mut asked = 0;
        let failed = Search::new(&mut tuner, &mut rng).run(9, |_, _| {
            asked += 1;
            Err(Stop::Failed("no".to_owned()))
        });
        assert_eq!((failed, asked), (Err(Stop::Failed("no".to_owned())), 1));
    }

    /// A tuner that takes its time, and remembers what it is told.
    struct Slow {
        told: Vec<(f64, f64)>,
        costs: Vec<f64>,
    }

    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

    impl Tuner for Slow {
        fn ask(&mut self, _: &mut ChaCha12Rng) -> Option<Suggestion> {
            std::thread::sleep(PAUSE);
            let fidelity = tuners::tuner::Fidelity::FULL;
            Some(Suggestion { id: self.told.len() as u64, config: vec![0.5], fidelity })
        }

        fn spent(&mut self, _: u64, cost: f64) {
            self.costs.push(cost);
        }

        fn tell(&mut self, trial: Trial) {
            self.told.push((trial.suggestion.config[0], trial.value));
        }
    }

    #[test]
    fn clocks_measure_the_tuner_and_not_what_it_asks_for() {
        let (mut tuner, mut rng) = (Slow { told: vec![], costs: vec![] }, rng());
        let mut search = Search::new(&mut tuner, &mut rng);
        let evaluate = |_: &Suggestion, tuner: &Slow| {
            std::thread::sleep(20 * PAUSE);
            let told = Told::from(tuner.told.len() as f64);
            Ok(Some(if tuner.told.is_empty() { told } else { told.spent(7.0) }))
        };
        search.run(2, evaluate).unwrap();
        let wall = search.took().wall_s;
        assert!((2.0 * PAUSE.as_secs_f64()..20.0 * PAUSE.as_secs_f64()).contains(&wall), "{wall}");
        assert_eq!((tuner.told, tuner.costs), (vec![(0.5, 0.0), (0.5, 1.0)], vec![7.0]));
    }
}
