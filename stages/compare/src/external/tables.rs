//! The rows of the tables, apart from the stages that write them.

use kit::row::Row;

/// How long an external optimiser took for its answers.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Waited {
    /// the benchmark table
    pub task: String,
    /// the optimiser
    pub tuner: String,
    /// number of the run
    pub seed: u32,
    /// time until its answers came, in sum; the start of its process is left out
    #[row(unit = "s")]
    pub seconds: f64,
}

/// A tuner in the field, on one task.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Placed {
    /// family of the task
    pub family: String,
    /// the benchmark table
    pub task: String,
    /// the tuner
    pub tuner: String,
    /// ours, or the package and its version
    pub origin: String,
    /// runs
    pub runs: usize,
    /// mean normalised regret at the end
    pub normalised: f64,
    /// expected rank of one of its runs among one run of each tuner in the field, 1 is best
    pub rank: f64,
}

/// The difference of two tuners' ranks over tasks.
#[derive(Row, Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// ours minus theirs: below 0 we are better
    pub difference: f64,
    /// lower end of its 90% interval over tasks
    pub low: f64,
    /// upper end
    pub high: f64,
    /// difference that does not matter
    pub margin: f64,
    /// p of two one-sided tests over tasks: the difference is not within the margin
    pub p_equivalent: f64,
    /// p of Student's test over tasks: there is no difference
    pub p_different: f64,
}

/// A tuner of ours against the package that it follows, over all tasks.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Parity {
    /// the tuner of ours
    pub ours: String,
    /// the external optimiser
    pub theirs: String,
    /// the package and its version
    pub package: String,
    /// tasks
    pub tasks: usize,
    /// runs of ours on a task
    pub runs: usize,
    /// runs of theirs on a task
    pub their_runs: usize,
    /// tuners in the field, among which runs are ranked
    pub field: usize,
    /// mean over tasks of our expected rank
    pub rank: f64,
    /// mean over tasks of theirs
    pub their_rank: f64,
    /// Of the two ranks.
    #[row(flatten)]
    pub ranks: Difference,
    /// mean over tasks of our mean normalised regret at the end
    pub normalised: f64,
    /// mean over tasks of theirs
    pub their_normalised: f64,
    /// equivalent, ours better, theirs better, or undecided
    pub found: String,
}
