//! The trainings of one experiment: the result of each, its epochs, and the courses of its hyper-parameters.

use kit::row::Row;

use super::trace::Ended;

/// The text of a training.
#[derive(Row, Clone, Debug, Default)]
pub struct Named {
    /// the text that networks are trained on
    pub text: String,
}

/// Which training it is.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Which {
    /// the text that networks are trained on
    pub text: String,
    /// what was done
    pub method: String,
    /// the value that was set
    pub value: Option<f64>,
    /// a second value that was set
    pub second: Option<f64>,
    /// which repeat
    pub replicate: u32,
}

/// The result of a training.
#[derive(Row, Clone, Debug, Default)]
pub struct Collected {
    /// The training.
    #[row(flatten)]
    pub which: Which,
    /// What it came to.
    #[row(flatten)]
    pub outcome: Outcome,
}

/// Its result.
#[derive(Row, Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// validation perplexity of the best epoch
    pub perplexity: Option<f64>,
    /// test perplexity of that epoch
    pub test: Option<f64>,
    /// that epoch, 0 for none
    pub best_epoch: usize,
    /// epochs trained
    pub epochs: usize,
    /// passes of the plain network
    pub cost: f64,
}

/// An epoch of a training.
#[derive(Row, Clone, Debug, Default)]
pub struct CollectedEpoch {
    /// The training.
    #[row(flatten)]
    pub which: Which,
    /// The epoch.
    #[row(flatten)]
    pub ended: Ended,
}

/// A step of a hyper-parameter, with its own value and the one that was set.
#[derive(Row, Clone, Debug, Default)]
pub struct CollectedStep {
    /// The training.
    #[row(flatten)]
    pub which: Which,
    /// training batches before
    pub batches: u64,
    /// hyper-parameter
    pub name: String,
    /// its value
    pub at: f64,
    /// standard deviation of its perturbation, unconstrained
    pub scale: Option<f64>,
}
