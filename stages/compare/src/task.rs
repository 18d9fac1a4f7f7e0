//! A tabular benchmark as a task: its search space for tuners, look-ups with their cost, and how far a configuration
//! is from the best.

use data::benchmark::{Benchmark, Choices, Hyperparameter, Training};
use numerics::space::{Domain, Error, Parameter, Space};
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::{metrics::normalised_regret, order::median};

/// The search space of a benchmark. Ordered values are whole numbers, their places: the benchmarks space them evenly
/// on the scale on which they act, so that near places are similar. Names are categories.
///
/// # Errors
/// If a hyper-parameter has only one value.
pub fn space(parameters: &[Hyperparameter]) -> Result<Space, Error> {
    let parameter = |one: &Hyperparameter| Parameter {
        name: one.name.clone(),
        domain: match &one.choices {
            Choices::Ordered { values, .. } => {
                Domain::Int { low: 0, high: values.len() as i64 - 1, log: false }
            }
            Choices::Categories(names) => Domain::Categorical { choices: names.len() },
        },
    };
    Space::new(parameters.iter().map(parameter).collect())
}

/// A benchmark, with what is known of the whole table.
pub struct Task {
    table: Benchmark,
    /// The mean loss of each configuration.
    means: Vec<f64>,
    /// The least mean loss.
    best: f64,
    /// The median of the mean losses: half of all configurations are at least as good.
    usual: f64,
    /// The mean time of a training, in seconds.
    seconds: f64,
}

impl Task {
    /// The task of a table.
    #[must_use]
    pub fn new(table: Benchmark) -> Self {
        let means: Vec<f64> = (0..table.trainings.len()).map(|i| table.mean_loss(i)).collect();
        let best = means.iter().copied().fold(f64::INFINITY, f64::min);
        let usual = median(&means);
        let all = || table.trainings.iter().flatten();
        let seconds = all().map(|one| one.seconds).sum::<f64>() / all().count() as f64;
        Self { table, means, best, usual, seconds }
    }

    /// The search space.
    ///
    /// # Errors
    /// If a hyper-parameter has only one value.
    pub fn space(&self) -> Result<Space, Error> {
        space(&self.table.parameters)
    }

    /// The mean time of a training over the whole table, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The number of the configuration that a tuner asks for; `None` outside of the space.
    #[must_use]
    pub fn number(&self, config: &[f64]) -> Option<usize> {
        let choices: Vec<usize> = config.iter().map(|value| *value as usize).collect();
        self.table.number(&choices)
    }

    /// One of the recorded trainings of a configuration, drawn at random.
    ///
    /// # Panics
    /// If there is no such configuration.
    pub fn look_up(&self, number: usize, rng: &mut ChaCha12Rng) -> Training {
        let trainings = &self.table.trainings[number];
        trainings[rng.random_range(0..trainings.len())]
    }

    /// How much the mean loss of a configuration exceeds the least mean loss of the table.
    ///
    /// # Panics
    /// If there is no such configuration.
    #[must_use]
    pub fn regret(&self, number: usize) -> f64 {
        self.means[number] - self.best
    }

    /// The regret as a share of that of the median configuration, at most 1: 0 for the best configuration, 1 for any
    /// that is no better than half of the table.
    ///
    /// # Panics
    /// If there is no such configuration.
    #[must_use]
    pub fn normalised(&self, number: usize) -> f64 {
        normalised_regret(self.means[number], self.best, self.usual)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Three places × two names; mean losses 1, 2, 3, 4, 5, 6 and 0.5 to both sides of them.
    fn task() -> Task {
        let values = Choices::Ordered { values: vec![0.1, 1.0, 10.0], log: true };
        let names = Choices::Categories(vec!["a".to_owned(), "b".to_owned()]);
        let parameter = |name: &str, choices| Hyperparameter { name: name.to_owned(), choices };
        let own = |mean: f64| {
            [-0.5, 0.5].map(|off| Training { loss: mean + off, seconds: mean }).to_vec()
        };
        let trainings = (1..=6).map(|i| own(f64::from(i))).collect();
        Task::new(Benchmark {
            parameters: vec![parameter("rate", values), parameter("kind", names)],
            trainings,
        })
    }

    #[test]
    fn every_point_of_the_space_is_a_configuration() {
        let (task, mut rng) = (task(), ChaCha12Rng::seed_from_u64(1));
        let space = task.space().unwrap();
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[task.number(&space.draw(&mut rng)).unwrap()] += 1;
        }
        assert!(seen.iter().all(|n| *n > 60), "{seen:?}");
        assert_eq!((task.number(&[2.0, 1.0]), task.number(&[3.0, 0.0])), (Some(5), None));
    }

    #[test]
    fn a_look_up_draws_a_recorded_seed() {
        let (task, mut rng) = (task(), ChaCha12Rng::seed_from_u64(2));
        let drawn: Vec<f64> = (0..100).map(|_| task.look_up(3, &mut rng).loss).collect();
        let low = drawn.iter().filter(|loss| **loss == 3.5).count();
        assert!((30..70).contains(&low) && drawn.iter().all(|loss| [3.5, 4.5].contains(loss)));
    }

    #[test]
    fn regret_is_of_means_and_one_at_the_median() {
        let task = task();
        assert_eq!((task.regret(0), task.regret(5), task.seconds()), (0.0, 5.0, 3.5));
        // The median of 1 to 6 is 3.5.
        let found: Vec<f64> = (0..6).map(|i| task.normalised(i)).collect();
        assert_eq!(found, [0.0, 0.4, 0.8, 1.0, 1.0, 1.0]);
    }
}
