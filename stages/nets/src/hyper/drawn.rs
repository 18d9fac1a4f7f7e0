//! The drawn hyper-parameters of the examples of a batch.

use tch::Tensor;

/// Hyper-parameters of a batch, or of everything (one row).
#[derive(Debug)]
pub struct Drawn {
    /// The input of the weights' response (B×n); `None` if they do not respond.
    pub response: Option<Tensor>,
    values: Vec<f64>,
    count: usize,
}

impl Drawn {
    /// Built from the input of the response and the valid values (B×n, row by row).
    pub fn new(response: Option<Tensor>, values: Vec<f64>, count: usize) -> Self {
        Self { response, values, count }
    }

    /// The valid values of a hyper-parameter, one per example.
    pub fn of(&self, hyper: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(hyper).step_by(self.count).copied()
    }

    /// The valid values of an example.
    pub fn row(&self, example: usize) -> &[f64] {
        &self.values[example * self.count..(example + 1) * self.count]
    }
}
