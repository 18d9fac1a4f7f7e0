//! A data set as a task: which learner? Trainings are looked up among the recorded ones.

use std::collections::BTreeMap;

use numerics::space::{Domain, Error, Parameter, Space};
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::moments::mean;

use super::tables::PartTraining;

/// A recorded training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Validation error.
    pub validation: f64,
    /// Time of training, in seconds.
    pub seconds: f64,
}

/// A learner with what was recorded of it.
struct Learner {
    name: String,
    /// The trainings by the divisor of the part.
    parts: BTreeMap<u64, Vec<Drawn>>,
    /// Mean test error after training on the whole.
    error: f64,
}

/// A data set.
pub struct Task {
    /// Its number at `OpenML`.
    pub data_set: u32,
    learners: Vec<Learner>,
    /// The least mean test error after training on the whole.
    best: f64,
}

/// The tasks of these rows, which are in the order of data sets and learners.
#[must_use]
pub fn tasks(rows: &[PartTraining]) -> Vec<Task> {
    let data_sets = rows.chunk_by(|a, b| a.data_set == b.data_set);
    let task = |own: &[PartTraining]| {
        let learners: Vec<Learner> =
            own.chunk_by(|a, b| a.learner == b.learner).map(Learner::new).collect();
        let best = learners.iter().map(|one| one.error).fold(f64::INFINITY, f64::min);
        Task { data_set: own[0].data_set, learners, best }
    };
    data_sets.map(task).collect()
}

impl Learner {
    fn new(own: &[PartTraining]) -> Self {
        let mut parts: BTreeMap<u64, Vec<Drawn>> = BTreeMap::new();
        for &PartTraining { divisor, validation, seconds, .. } in own {
            parts.entry(divisor).or_default().push(Drawn { validation, seconds });
        }
        let whole: Vec<f64> =
            own.iter().filter(|one| one.divisor == 1).map(|one| one.test).collect();
        Self { name: own[0].learner.clone(), parts, error: mean(&whole) }
    }
}

impl Task {
    /// The search space: one category per learner.
    ///
    /// # Errors
    /// If there is only one learner.
    pub fn space(&self) -> Result<Space, Error> {
        let domain = Domain::Categorical { choices: self.learners.len() };
        Space::new(vec![Parameter { name: "learner".to_owned(), domain }])
    }

    /// How many learners there are.
    #[must_use]
    pub fn learners(&self) -> usize {
        self.learners.len()
    }

    /// One of the recorded trainings of a learner on a part, drawn at random; `None` if there is none.
    pub fn look_up(&self, learner: usize, divisor: u64, rng: &mut ChaCha12Rng) -> Option<Drawn> {
        let drawn = self.learners.get(learner)?.parts.get(&divisor)?;
        drawn.get(rng.random_range(0..drawn.len())).copied()
    }

    /// By how much the mean test error of a learner, after training on the whole, exceeds the best learner's.
    ///
    /// # Panics
    /// If there is no such learner.
    #[must_use]
    pub fn excess(&self, learner: usize) -> f64 {
        self.learners[learner].error - self.best
    }

    /// The name of a learner.
    ///
    /// # Panics
    /// If there is no such learner.
    #[must_use]
    pub fn name(&self, learner: usize) -> &str {
        &self.learners[learner].name
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    /// Data set 7 with four learners: after training on the whole their errors are 0, 0.125, 0.25 and 0.375, and each
    /// part of 1/3 adds 0.25 to that of `a`, so that it looks worst on the smallest. Every training has two splits, 0.03125
    /// to both sides.
    pub(in crate::multi_fidelity) fn rows() -> Vec<PartTraining> {
        let mut rows = Vec::new();
        for (learner, place) in ["a", "b", "c", "d"].into_iter().zip(0_u32..) {
            for (divisor, step) in [(9, 2.0), (3, 1.0), (1, 0.0)] {
                let harm = if place == 0 { 0.25 * step } else { 0.0 };
                let error = 0.125 * f64::from(place) + harm;
                rows.extend([-0.03125, 0.03125].map(|off| PartTraining {
                    data_set: 7,
                    learner: learner.to_owned(),
                    divisor,
                    size: 90 / divisor as u32,
                    validation: 0.25 + error + off,
                    test: error,
                    seconds: 9.0 / divisor as f64,
                }));
            }
        }
        rows
    }

    #[test]
    fn a_look_up_draws_a_recorded_split_and_the_choice_is_judged_by_means_on_the_whole() {
        let (found, mut rng) = (tasks(&rows()), ChaCha12Rng::seed_from_u64(1));
        let task = &found[0];
        assert_eq!((found.len(), task.data_set, task.name(2)), (1, 7, "c"));
        assert_eq!([0, 1, 2, 3].map(|i| task.excess(i)), [0.0, 0.125, 0.25, 0.375]);
        let drawn: Vec<Drawn> = (0..100).filter_map(|_| task.look_up(1, 3, &mut rng)).collect();
        let low = drawn.iter().filter(|one| one.validation == 0.34375).count();
        assert!((30..70).contains(&low) && drawn.len() == 100, "{low}");
        assert!(drawn.iter().all(|one| [0.34375, 0.40625].contains(&one.validation)));
        assert_eq!((task.look_up(4, 1, &mut rng), task.look_up(0, 2, &mut rng)), (None, None));
    }
}
