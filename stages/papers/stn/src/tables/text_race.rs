//! The result of each method on a text within the budget, and its progress.

use kit::row::Row;

/// A run.
#[derive(Row, Clone, Debug, Default)]
pub struct RunName {
    /// the text that networks are trained on
    pub text: String,
    /// the method
    pub method: String,
    /// which repeat
    pub replicate: u32,
}

/// The result of a run.
#[derive(Row, Clone, Debug, Default)]
pub struct Raced {
    /// The run.
    #[row(flatten)]
    pub run: RunName,
    /// least validation perplexity within the budget
    pub perplexity: Option<f64>,
    /// test perplexity there
    pub test: Option<f64>,
    /// trainings
    pub trainings: usize,
    /// passes of the plain network, all told
    pub cost: f64,
    /// passes that it may spend
    pub budget: f64,
}

/// A new best.
#[derive(Row, Clone, Debug, Default)]
pub struct NewBest {
    /// The run.
    #[row(flatten)]
    pub run: RunName,
    /// passes of the plain network before
    pub cost: f64,
    /// least validation perplexity so far
    pub perplexity: f64,
}
