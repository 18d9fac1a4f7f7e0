//! The results of every treatment on every task, and the wins, ties and losses of SMOOTHIE.

use kit::row::Row;

use super::label::Label;

/// A treatment on a task.
#[derive(Row, Clone, Debug)]
pub struct Standing {
    /// The task and the treatment.
    #[row(flatten)]
    pub label: Label,
    /// the optimiser, SMOOTHIE with its learner: the others tune the one that does best
    pub treatment: String,
    /// repeats
    pub n: usize,
    /// median of the score that counts, on the test part
    pub median: f64,
    /// its mean
    pub mean: f64,
    /// median
    pub accuracy: f64,
    /// median
    pub f1: f64,
    /// median recall
    pub pd: f64,
    /// median false alarm rate
    pub pf: f64,
    /// median
    pub precision: f64,
    /// normalised mean score, 100 is the best seen
    pub bayesmark: Option<f64>,
    /// share of repeats whose choice gives every test row one class
    pub constant: f64,
    /// shares the first rank
    pub first: bool,
    /// against the best, Mann–Whitney with Benjamini–Hochberg
    pub p: f64,
    /// SMOOTHIE with the learner that did best where configurations are compared, by median, then mean
    pub representative: bool,
    /// of that SMOOTHIE against this
    pub outcome: String,
}

/// SMOOTHIE against the best of the others on one task.
#[derive(Row, Clone, Debug)]
pub struct Summary {
    /// family of the task
    pub family: String,
    /// data set with its classes
    pub task: String,
    /// SMOOTHIE's learner
    pub learner: String,
    /// the best of the others: by median, in the first rank if one of them is
    pub rival: String,
    /// SMOOTHIE's: win, tie or loss
    pub outcome: String,
    /// its median score
    pub smoothie: f64,
    /// the rival's median score
    pub other: f64,
    /// of all treatments
    pub kruskal_p: f64,
}
