//! The rows of the tables, apart from the stages that write them.

use kit::row::Row;

use crate::external::tables::Difference;

/// A recorded training of a learner on a part of a data set.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct PartTraining {
    /// number of the data set at `OpenML`
    pub data_set: u32,
    /// the learner
    pub learner: String,
    /// the part is the largest recorded one of at most one of so many of the largest training size, which is the whole
    pub divisor: u64,
    /// instances that it was trained on
    pub size: u32,
    /// share of the validation part that is classified wrongly
    pub validation: f64,
    /// share of the test part that is classified wrongly
    pub test: f64,
    /// time of training
    #[row(unit = "s")]
    pub seconds: f64,
}

/// The learner that a run had chosen when so much was spent.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Choice {
    /// number of the data set at `OpenML`
    pub data_set: u32,
    /// the tuner
    pub tuner: String,
    /// number of the run
    pub run: u32,
    /// what was spent, in trainings on the whole; one on a part costs its share
    pub spent: u32,
    /// trainings so far
    pub trainings: u32,
    /// different learners among them
    pub learners: u32,
    /// different learners that were trained on the whole
    pub learners_on_the_whole: u32,
    /// the learner chosen: the one with the lowest validation error on the largest part so far
    pub learner: String,
    /// that part is one of so many of the whole
    pub divisor: u64,
    /// its mean test error after training on the whole minus that of the best learner
    pub excess: f64,
    /// time of the trainings so far
    #[row(unit = "s")]
    pub seconds: f64,
}

/// What the runs of a tuner chose for a data set at the end.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct PartStanding {
    /// number of the data set at `OpenML`
    pub data_set: u32,
    /// the tuner
    pub tuner: String,
    /// runs
    pub runs: usize,
    /// mean over runs: test error of the learner chosen, after training on the whole, minus that of the best learner
    pub excess: f64,
    /// share of the runs that chose the best learner
    pub best: f64,
    /// mean number of different learners that a run trained
    pub learners: f64,
    /// mean number of different learners that a run trained on the whole
    pub learners_on_the_whole: f64,
    /// rank by the mean excess among the tuners on this data set, 1 is best
    pub rank: f64,
    /// mean time of the trainings of a run
    #[row(unit = "s")]
    pub seconds: f64,
}

/// What a tuner had chosen over all data sets when so much was spent.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct PartProgress {
    /// the tuner
    pub tuner: String,
    /// what was spent, in trainings on the whole
    pub spent: u32,
    /// how many
    pub data_sets: usize,
    /// mean over data sets and runs: test error of the learner chosen, after training on the whole, minus that of the
    /// best learner
    pub excess: f64,
    /// lower end of its 95% interval, by a bootstrap of data sets
    pub low: f64,
    /// upper end
    pub high: f64,
    /// the same minus that of random search on the same data sets; none without random search
    pub against_random: Option<f64>,
    /// lower end of its 95% interval, by a bootstrap of data sets
    pub against_low: Option<f64>,
    /// upper end
    pub against_high: Option<f64>,
    /// share of the runs that had chosen the best learner
    pub best: f64,
    /// mean over data sets of the number of different learners that a run had trained
    pub learners: f64,
    /// mean over data sets of the number of different learners that a run had trained on the whole
    pub learners_on_the_whole: f64,
    /// mean over data sets of the rank by the mean excess, 1 is best
    pub rank: f64,
    /// mean time of the trainings so far
    #[row(unit = "s")]
    pub seconds: f64,
}

/// A run of the same number on each data set, when so much was spent, for figures.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct PartCourse {
    /// the tuner
    pub tuner: String,
    /// number of the run
    pub run: u32,
    /// what was spent, in trainings on the whole
    pub spent: u32,
    /// mean excess over data sets
    pub excess: f64,
}

/// A tuner of ours against the package that it follows, over all data sets.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct PartParity {
    /// the tuner of ours
    pub ours: String,
    /// the external optimiser
    pub theirs: String,
    /// the package and its version
    pub package: String,
    /// data sets
    pub data_sets: usize,
    /// runs of ours on a data set
    pub runs: usize,
    /// runs of theirs on a data set
    pub their_runs: usize,
    /// tuners in the field, among which runs are ranked by the excess at the end
    pub field: usize,
    /// mean over data sets of our expected rank
    pub rank: f64,
    /// mean over data sets of theirs
    pub their_rank: f64,
    /// Of the two ranks; data sets are the tasks.
    #[row(flatten)]
    pub ranks: Difference,
    /// mean over data sets of our mean excess at the end
    pub excess: f64,
    /// mean over data sets of theirs
    pub their_excess: f64,
    /// equivalent, ours better, theirs better, or undecided
    pub found: String,
}
