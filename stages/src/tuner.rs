//! What a tuner is: black-box tuners by ask and tell, gradient tuners on a bilevel problem.
//! Knows no optimiser.

use std::ops::ControlFlow;

use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use crate::problem::Bilevel;
use crate::solve::stop::TerminationReason;

/// Why a tuner refused its settings or could not go on.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum Error {
    /// A setting is out of range.
    #[error("{key} = {value}: expected {expected}")]
    Setting {
        /// Name of the setting.
        key: &'static str,
        /// What was given.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// A loss or a gradient was not finite.
    #[error(
        "outer iteration {k}: {what} is not finite at λ = {:?}{}; check the data and bounds",
        &lambda[..lambda.len().min(4)],
        if lambda.len() > 4 { " …" } else { "" }
    )]
    NotFinite {
        /// Outer iteration, from 1.
        k: usize,
        /// Which quantity.
        what: &'static str,
        /// Where.
        lambda: Vec<f64>,
    },
}

/// A box, one closed interval a dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds {
    /// The box [low₁, high₁] × … .
    ///
    /// # Errors
    /// If it is empty, or a bound is not finite or not below its partner.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Result<Self, Error> {
        let ordered = low.iter().zip(&high).all(|(l, h)| l.is_finite() && h.is_finite() && l < h);
        if low.is_empty() || low.len() != high.len() || !ordered {
            return Err(Error::Setting {
                key: "bounds",
                value: format!("{low:?} to {high:?}"),
                expected: "finite low < high in every dimension",
            });
        }
        Ok(Self { low, high })
    }

    /// [−radius, radius]ⁿ.
    ///
    /// # Errors
    /// As [`Bounds::new`].
    pub fn cube(dimensions: usize, radius: f64) -> Result<Self, Error> {
        Self::new(vec![-radius; dimensions], vec![radius; dimensions])
    }

    /// Number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.low.len()
    }

    /// Lower bounds.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// Upper bounds.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// Maps [0, 1]ⁿ to the box.
    pub fn from_unit(&self, unit: &[f64]) -> Vec<f64> {
        let pairs = self.low.iter().zip(&self.high).zip(unit);
        pairs.map(|((l, h), u)| (l + u * (h - l)).clamp(*l, *h)).collect()
    }

    /// Maps the box to [0, 1]ⁿ.
    pub fn to_unit(&self, x: &[f64]) -> Vec<f64> {
        let pairs = self.low.iter().zip(&self.high).zip(x);
        pairs.map(|((l, h), v)| (v - l) / (h - l)).collect()
    }

    /// Whether a point lies in the box.
    pub fn contains(&self, x: &[f64]) -> bool {
        let mut pairs = self.low.iter().zip(&self.high).zip(x);
        x.len() == self.low.len() && pairs.all(|((l, h), v)| l <= v && v <= h)
    }
}

/// A configuration to evaluate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Number of the suggestion, from 0 in the order of asking.
    pub id: u64,
    /// Hyper-parameters, inside the bounds.
    pub config: Vec<f64>,
    /// Share of the full resource to spend, in (0, 1].
    pub fidelity: f64,
}

/// An evaluated suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What was evaluated.
    pub suggestion: Suggestion,
    /// The loss found; NaN or infinite for a failed evaluation.
    pub value: f64,
}

/// A black-box tuner: asked for configurations, told losses to minimise.
pub trait Tuner {
    /// The next configuration; `None` once the tuner has no more to ask.
    fn ask(&mut self, rng: &mut ChaCha12Rng) -> Option<Suggestion>;
    /// Records an evaluation. The state after a set of trials does not depend on their order.
    fn tell(&mut self, trial: Trial);
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
    /// The first step, which has nothing to compare with.
    First,
    /// The test held: the step grows.
    Grow,
    /// Neither held nor bad enough to undo: the step stays.
    Keep,
    /// The test failed: the step shrinks and is taken.
    Shrink,
    /// The test failed badly: λ stays where it was and the step shrinks.
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
    /// λ_k (length s).
    pub lambda: Vec<f64>,
    /// g(λ_k, x_k) at the inexact x_k.
    pub outer_value: f64,
    /// ‖p_k‖₂ of the approximate hypergradient.
    pub gradient_norm: f64,
    /// The approximate hypergradient p_k (length s).
    pub gradient: Vec<f64>,
    /// 1/L with which the step away from λ_k was taken.
    pub step: f64,
    /// L at the end of the iteration.
    pub lipschitz: f64,
    /// ε_k.
    pub epsilon: f64,
    /// What became of the step.
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

/// Sees every outer iteration with the inner point x_k it ended at; `Break` ends the run.
pub type Observer<'a> = dyn FnMut(&OuterStep, &[f64]) -> ControlFlow<()> + 'a;

/// Where a gradient tuner ended.
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
