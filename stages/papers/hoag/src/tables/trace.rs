//! The outputs of a tuning run. Results and measurements are separate tables, so that the results are the
//! same bytes on every machine.

use std::borrow::Cow;

use kit::{cell::NanIsNull, row::Row};

/// One evaluated λ.
#[derive(Row, Clone, Debug, Default)]
pub struct Step {
    /// evaluation of λ, from 0
    pub step: usize,
    /// first hyper-parameter, as in eq. (4) or (5); none beyond two
    pub lambda0: Option<f64>,
    /// second hyper-parameter
    pub lambda1: Option<f64>,
    /// g at the inner point found (sum over the test part)
    pub outer: f64,
    /// loss on the validation part there (sum)
    pub validation: f64,
    /// norm of the approximate hypergradient
    #[row(with = NanIsNull)]
    pub gradient_norm: f64,
    /// tolerance of this step
    #[row(with = NanIsNull)]
    pub epsilon: f64,
    /// L after this step
    #[row(with = NanIsNull)]
    pub lipschitz: f64,
    /// what became of the step
    pub branch: Cow<'static, str>,
    /// inner iterations so far
    pub inner_iterations: u64,
    /// evaluations of h and its gradient so far
    pub inner_evaluations: u64,
    /// Hessian-vector products so far
    pub hessian_products: u64,
    /// why the inner solver stopped
    pub termination: Cow<'static, str>,
}

impl Step {
    /// λ of at most two hyper-parameters; NaN for a missing one.
    #[must_use]
    pub fn lambda(&self) -> (f64, f64) {
        (self.lambda0.unwrap_or(f64::NAN), self.lambda1.unwrap_or(f64::NAN))
    }
}

/// The time of its evaluation.
#[derive(Row, Clone, Debug)]
pub struct Clock {
    /// evaluation of λ, from 0
    pub step: usize,
    /// CPU seconds since the start
    pub cpu_s: f64,
    /// elapsed seconds since the start
    pub wall_s: f64,
}
