//! The interfaces of tuners: black-box tuners by ask and tell, gradient tuners on a bilevel problem.

use std::ops::ControlFlow;

use numerics::{problem::Bilevel, solve::stop::TerminationReason, space};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

/// Why a tuner rejected its settings or could not continue.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum Error {
    /// A setting is out of range.
    #[error("{key} = {value}: expected {expected}")]
    Setting {
        /// Name of the setting.
        key: &'static str,
        /// The given value.
        value: String,
        /// The accepted values.
        expected: &'static str,
    },
    /// The space has nothing to choose from.
    #[error(transparent)]
    Space(#[from] space::Error),
    /// A loss or a gradient was not finite.
    #[error(
        "outer iteration {k}: {what} is not finite at λ = {:?}{}; check the data and bounds",
        &lambda[..lambda.len().min(4)],
        if lambda.len() > 4 { " …" } else { "" }
    )]
    NotFinite {
        /// Outer iteration, from 1.
        k: usize,
        /// The quantity.
        what: &'static str,
        /// The λ at which it occurred.
        lambda: Vec<f64>,
    },
}

/// The fidelity of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Fidelity {
    /// Not the loss but a cheap statistic of the configuration, as the tuner's documentation says.
    Probe,
    /// The loss after 1/divisor of the full resource. A divisor is exact where a share would be rounded.
    Part {
        /// The divisor, at least 1, which is the full resource.
        divisor: u64,
    },
}

impl Fidelity {
    /// A full evaluation.
    pub const FULL: Self = Self::Part { divisor: 1 };

    /// This part of `full`, correctly rounded; 0 for a probe.
    pub fn of(self, full: f64) -> f64 {
        match self {
            Self::Probe => 0.0,
            Self::Part { divisor } => full / divisor as f64,
        }
    }
}

/// A configuration to evaluate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Number of the suggestion, counted from 0 in the order of asking.
    pub id: u64,
    /// Hyper-parameters, inside the space: categories by index, whole numbers as themselves.
    pub config: Vec<f64>,
    /// The fidelity of its evaluation.
    pub fidelity: Fidelity,
}

/// An evaluated suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The suggestion that was evaluated.
    pub suggestion: Suggestion,
    /// The loss, or the statistic of a probe; NaN or infinite for a failed evaluation, which counts as the
    /// worst.
    pub value: f64,
}

/// A loss as losses are ordered: that of a failed evaluation comes last.
pub(crate) fn failed_last(loss: f64) -> f64 {
    if loss.is_finite() { loss } else { f64::INFINITY }
}

/// A black-box tuner: asked for configurations, told losses to minimise.
pub trait Tuner: Send {
    /// The next configuration; `None` if the tuner has no more to ask, or none until pending trials are told.
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion>;
    /// Records the cost of the evaluation of a suggestion, in the same unit for all; called before its value
    /// is told. Most tuners ignore costs.
    fn spent(&mut self, _id: u64, _cost: f64) {}
    /// Records an evaluation. The state after a set of trials does not depend on their order.
    fn tell(&mut self, trial: Trial);
}

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
    /// The first step, which has nothing to compare with.
    First,
    /// The test held: the step grows.
    Grow,
    /// The test neither held nor failed badly enough to undo the move: the step stays.
    Keep,
    /// The test failed: the step shrinks and is taken.
    Shrink,
    /// The test failed badly: the move is undone and the step shrinks.
    Reject,
}

impl Branch {
    /// The name written to tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Grow => "grow",
            Self::Keep => "keep",
            Self::Shrink => "shrink",
            Self::Reject => "reject",
        }
    }
}

/// One outer iteration of a gradient tuner: the λ it evaluated and what it decided there.
/// Counts are cumulative.
#[derive(Debug, Clone, PartialEq)]
pub struct OuterStep {
    /// Outer iteration, from 1.
    pub k: usize,
    /// `λ_k` (length s).
    pub lambda: Vec<f64>,
    /// `g(λ_k, x_k)` at the inexact `x_k`.
    pub outer_value: f64,
    /// `‖p_k‖₂` of the approximate hypergradient.
    pub gradient_norm: f64,
    /// The approximate hypergradient `p_k` (length s).
    pub gradient: Vec<f64>,
    /// 1/L with which the step away from `λ_k` was taken.
    pub step: f64,
    /// L at the end of the iteration.
    pub lipschitz: f64,
    /// `ε_k`.
    pub epsilon: f64,
    /// The outcome of the step.
    pub branch: Branch,
    /// Iterations of the inner solver.
    pub inner_iterations: u64,
    /// Evaluations of h and its gradient.
    pub inner_evaluations: u64,
    /// Hessian-vector products.
    pub hessian_products: u64,
    /// Why the inner solver stopped at this iteration.
    pub inner_termination: TerminationReason,
    /// Why the linear solver stopped at this iteration.
    pub linear_termination: TerminationReason,
}

/// Observes every outer iteration with the inner point `x_k` that it ended at; `Break` ends the run.
pub type Observer<'a> = dyn FnMut(&OuterStep, &[f64]) -> ControlFlow<()> + 'a;

/// The result of a gradient tuner.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The λ that the last step led to (not evaluated).
    pub lambda: Vec<f64>,
    /// The last inner point.
    pub x: Vec<f64>,
}

/// A tuner that uses the derivatives of a bilevel problem.
pub trait BilevelTuner {
    /// Runs from λ₀ of the problem until its iterations are done or the observer breaks.
    ///
    /// # Errors
    /// If a loss or gradient is not finite.
    fn run(
        &self,
        problem: &mut dyn Bilevel,
        rng: &mut ChaCha12Rng,
        observer: &mut Observer<'_>,
    ) -> Result<Outcome, Error>;
}
