//! The rows of the comparison's tables, apart from the stages that write them.

use kit::row::Row;

/// One evaluation of a run.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Trace {
    /// family of the task: the first word of its id
    pub family: String,
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// number of the run
    pub seed: u32,
    /// evaluations so far
    pub evaluation: u32,
    /// number of the configuration in the table
    pub configuration: u32,
    /// what the table's trainings took so far
    #[row(unit = "s")]
    pub cost: f64,
    /// the same in mean trainings of the table
    pub trainings: f64,
    /// validation loss of the recorded training that was drawn
    pub loss: f64,
    /// the lowest so far
    pub best: f64,
    /// of the configuration with the lowest loss so far: its mean loss minus the least mean loss of the table
    pub regret: f64,
    /// the same as a share of the median configuration's, at most 1
    pub normalised: f64,
}

/// What a tuner itself took.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Overhead {
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// number of the run
    pub seed: u32,
    /// CPU time of asking and telling
    #[row(unit = "s")]
    pub cpu: f64,
}

/// Where the runs of a tuner on a task ended.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Standing {
    /// family of the task
    pub family: String,
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// runs
    pub runs: usize,
    /// mean normalised regret at the end
    pub normalised: f64,
    /// median normalised regret at the end
    pub median: f64,
    /// mean regret at the end, in the unit of the task's loss
    pub regret: f64,
    /// rank by mean normalised regret among the tuners on this task, 1 is best
    pub rank: f64,
    /// mean time of the trainings of a run
    #[row(unit = "s")]
    pub cost: f64,
}

/// Normalised regret in the course of the runs.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Progress {
    /// family of the tasks, or all
    pub family: String,
    /// the tuner
    pub tuner: String,
    /// what is spent: evaluations, or trainings, in mean trainings of the task's table
    pub axis: String,
    /// how much is spent
    pub at: f64,
    /// interquartile mean of the normalised regret over tasks and runs
    pub normalised: f64,
    /// lower end of its 95% interval, by a bootstrap within tasks
    pub low: f64,
    /// upper end
    pub high: f64,
    /// mean over tasks of the rank by mean normalised regret, 1 is best
    pub rank: f64,
}

/// A run at one of the places of [`Progress`], for figures.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Course {
    /// family of the task
    pub family: String,
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// number of the run
    pub run: u32,
    /// evaluations so far
    pub evaluations: u32,
    /// normalised regret of the run's choice
    pub normalised: f64,
}

/// An aggregate of final scores, which are 1 minus the normalised regret.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// family of the tasks, or all
    pub family: String,
    /// the tuner
    pub tuner: String,
    /// interquartile mean, mean, median, or optimality gap
    pub statistic: String,
    /// its value
    pub value: f64,
    /// lower end of its 95% interval, by a bootstrap within tasks
    pub low: f64,
    /// upper end
    pub high: f64,
}

/// A point of a performance profile.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Share {
    /// family of the tasks, or all
    pub family: String,
    /// the tuner
    pub tuner: String,
    /// a score: 1 minus the normalised regret
    pub score: f64,
    /// share of runs that end above it
    pub share: f64,
    /// lower end of its 95% interval, by a bootstrap within tasks
    pub low: f64,
    /// upper end
    pub high: f64,
}

/// How long it takes to a target.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Hit {
    /// family of the task
    pub family: String,
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// normalised regret that is to be reached
    pub target: f64,
    /// share of runs that reach it
    pub reached: f64,
    /// expected number of evaluations: all up to the target, of all runs, per run that reaches it; none if no run does
    pub expected: Option<f64>,
}

/// Two tuners over all tasks.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Pair {
    /// a tuner
    pub tuner: String,
    /// another
    pub other: String,
    /// tasks
    pub tasks: usize,
    /// mean difference of final normalised regrets, this minus the other
    pub difference: f64,
    /// posterior probability that the first is better on most tasks
    pub better: f64,
    /// that most differences are too small to matter
    pub same: f64,
    /// that the other is better
    pub worse: f64,
}

/// How often the best learner on a part of the data is the best on all.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct SubsetBest {
    /// the part is at most one of so many of the largest training size
    pub divisor: u32,
    /// data sets with such a part and at least two learners
    pub data_sets: usize,
    /// share of them on which the learner with the lowest mean test error on the part has the lowest on the whole
    pub best: f64,
    /// lower end of its 95% interval
    pub low: f64,
    /// upper end
    pub high: f64,
    /// median over data sets of how much that learner's error on the whole exceeds the lowest
    pub excess: f64,
}

/// How many learning curves get worse somewhere.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Rising {
    /// the learner, or all
    pub learner: String,
    /// mean curves of two points or more, one per data set
    pub curves: usize,
    /// share of them whose error somewhere exceeds by more than the margin what it was with fewer instances
    pub share: f64,
    /// lower end of its 95% interval
    pub low: f64,
    /// upper end
    pub high: f64,
}
