//! Aggregates the scores of several runs on several tasks into one number, with intervals by a bootstrap
//! stratified by task \[Agarwal2021\].

use crate::{
    effect::a12,
    moments::mean,
    order::{median, quantile},
};

/// Scores: `scores[run][task]`; a NaN (a failed run) makes every aggregate NaN, and in a profile counts as not
/// above.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores(Vec<Vec<f64>>);

impl Scores {
    /// Wraps these scores; `None` if there is no run or no task, or the runs have different numbers of tasks.
    ///
    /// ```
    /// use stats::aggregates::Scores;
    ///
    /// let scores = Scores::new(vec![vec![0.1, 0.9], vec![0.3, 0.7]]).expect("two runs, two tasks");
    /// assert!((scores.mean() - 0.5).abs() < 1e-12);
    /// assert!((scores.optimality_gap(1.0) - 0.5).abs() < 1e-12);
    /// assert_eq!(scores.profile(0.5), 0.5);
    /// ```
    #[must_use]
    pub fn new(scores: Vec<Vec<f64>>) -> Option<Self> {
        let tasks = scores.first()?.len();
        (tasks > 0 && scores.iter().all(|run| run.len() == tasks)).then_some(Self(scores))
    }

    /// Number of runs and of tasks.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.0.len(), self.0[0].len())
    }

    fn all(&self) -> Vec<f64> {
        self.0.concat()
    }

    fn task(&self, task: usize) -> Vec<f64> {
        self.0.iter().map(|run| run[task]).collect()
    }

    fn task_means(&self) -> Vec<f64> {
        (0..self.shape().1).map(|task| mean(&self.task(task))).collect()
    }

    /// The mean of the tasks' means.
    #[must_use]
    pub fn mean(&self) -> f64 {
        mean(&self.task_means())
    }

    /// The median of the tasks' means.
    #[must_use]
    pub fn median(&self) -> f64 {
        defined(&self.task_means(), median)
    }

    /// The interquartile mean: the mean of all scores without the lowest and the highest quarter. With three
    /// scores or fewer nothing is cut.
    #[must_use]
    pub fn interquartile_mean(&self) -> f64 {
        defined(&self.all(), |scores| {
            let mut sorted = scores.to_vec();
            sorted.sort_by(f64::total_cmp);
            let cut = sorted.len() / 4;
            mean(&sorted[cut..sorted.len() - cut])
        })
    }

    /// How far the scores stay below `gamma` on average; scores above `gamma` count as `gamma`.
    #[must_use]
    pub fn optimality_gap(&self, gamma: f64) -> f64 {
        defined(&self.all(), |scores| {
            gamma - mean(&scores.iter().map(|score| score.min(gamma)).collect::<Vec<_>>())
        })
    }

    /// The share of all scores above `tau`: the performance profile at `tau`.
    #[must_use]
    pub fn profile(&self, tau: f64) -> f64 {
        share_above(&self.all(), tau)
    }

    /// The share of tasks with a mean above `tau`.
    #[must_use]
    pub fn profile_of_means(&self, tau: f64) -> f64 {
        share_above(&self.task_means(), tau)
    }

    /// A resample: run `runs[i][j]` of each task j takes the place of run i, and task `tasks[j]` the place of
    /// task j; `None` if a run or a task does not exist.
    #[must_use]
    pub fn resampled(&self, runs: &[Vec<usize>], tasks: Option<&[usize]>) -> Option<Self> {
        let row = |row: &Vec<usize>| {
            let score = |(j, &run): (usize, &usize)| {
                let task = tasks.map_or(Some(j), |tasks| tasks.get(j).copied())?;
                self.0.get(run)?.get(task).copied()
            };
            row.iter().enumerate().map(score).collect::<Option<Vec<f64>>>()
        };
        Self::new(runs.iter().map(row).collect::<Option<Vec<_>>>()?)
    }

    /// The probability that a run of these has a higher score than one of `others`, on average over the
    /// tasks; equal scores count half. `None` if the tasks differ.
    #[must_use]
    pub fn improvement_over(&self, others: &Self) -> Option<Vec<f64>> {
        let tasks = self.shape().1;
        (others.shape().1 == tasks)
            .then(|| (0..tasks).map(|task| a12(&self.task(task), &others.task(task))).collect())
    }
}

/// NaN if a value is NaN.
fn defined(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> f64 {
    if values.iter().any(|v| v.is_nan()) { f64::NAN } else { statistic(values) }
}

fn share_above(values: &[f64], tau: f64) -> f64 {
    values.iter().filter(|v| **v > tau).count() as f64 / values.len() as f64
}

/// The ends of the percentile interval of coverage `level` of resampled values; NaN if one of them is NaN.
#[must_use]
pub fn percentiles(values: &[f64], level: f64) -> (f64, f64) {
    let tail = f64::midpoint(1.0, -level);
    let end = |p: f64| defined(values, |values| quantile(values, p));
    (end(tail), end(1.0 - tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_table_is_refused() {
        for scores in [vec![], vec![vec![]], vec![vec![1.0], vec![1.0, 2.0]]] {
            assert!(Scores::new(scores).is_none());
        }
        let scores = Scores::new(vec![vec![1.0, 2.0]]).expect("a table");
        assert!(scores.resampled(&[vec![1, 0]], None).is_none(), "there is no second run");
        assert!(scores.resampled(&[vec![0, 0]], Some(&[0, 2])).is_none(), "nor a third task");
        assert_eq!(scores.resampled(&[vec![0, 0]], Some(&[1, 1])), Scores::new(vec![vec![2.0; 2]]));
    }

    #[test]
    fn quarters_are_cut_at_both_ends() {
        let scores = Scores::new(vec![vec![0.0, 1.0, 2.0, 1000.0]]).expect("a table");
        assert_eq!(scores.interquartile_mean(), 1.5);
        let few = Scores::new(vec![vec![0.0, 1.0, 5.0]]).expect("a table");
        assert_eq!(few.interquartile_mean(), 2.0);
    }

    #[test]
    fn a_failed_run_is_not_above_anything() {
        let scores = Scores::new(vec![vec![0.5, f64::NAN]]).expect("a table");
        assert!(scores.mean().is_nan() && scores.interquartile_mean().is_nan());
        assert!(scores.median().is_nan() && scores.optimality_gap(1.0).is_nan());
        assert_eq!((scores.profile(0.0), scores.profile_of_means(0.0)), (0.5, 0.5));
    }
}
