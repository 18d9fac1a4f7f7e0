//! The result of evaluating a configuration.

/// The result of evaluating a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// Error on the validation part; 1 if training gave no model.
    pub validation: f64,
    /// Error on the held-out part, if requested.
    pub held_out: Option<f64>,
    /// Multiplications of the training.
    pub work: f64,
}
