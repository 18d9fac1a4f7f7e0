//! Iterdiff: the hypergradient by reversing the inner iterations \[Domke2012\].
//!
//! DIFFERS: the paper names "the same inner-optimization algorithm as HOAG", whose reversal it does
//! not give. The reversal written for gradient steps is exact for gradient steps, so the inner
//! problem is solved by T of them, with η = 1/(Lipschitz constant of ∇₁h), from the origin. The
//! constant depends on λ, and so the derivative has a term for it.

use std::ops::ControlFlow;

use numerics::{
    linalg::vector::{axpy, norm},
    problem::{Bilevel, Counted},
    solve::stop::TerminationReason,
};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::adaptive_step::{AdaptiveStep, StepRules};
use crate::tuner::{BilevelTuner, Error, Observer, Outcome, OuterStep};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IterdiffSettings {
    /// Number of inner gradient steps T.
    pub unrolled: usize,
    /// Number of outer iterations.
    pub outer_iterations: usize,
    /// The adaptive step, used with ε = 0.
    pub step: StepRules,
}

/// The tuner with checked settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterdiff {
    settings: IterdiffSettings,
}

impl Iterdiff {
    /// A tuner with these settings.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use models::bilevel::{
    ///     labelled::{Labelled, Thirds},
    ///     logistic::{Logistic, Penalty},
    /// };
    /// use ndarray::Array2;
    /// use numerics::linalg::design::Design;
    /// use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
    /// use tuners::{
    ///     gradient::{hoag_rules::HoagRules, iterdiff::{Iterdiff, IterdiffSettings}},
    ///     tuner::BilevelTuner as _,
    /// };
    ///
    /// // Two features, the first of which decides the class; a third of the rows in each part.
    /// let a = Array2::from_shape_fn((60, 2), |(i, j)| if j == 0 { (i as f64).sin() } else { 0.3 });
    /// let b = (0..60).map(|i| (i as f64).sin().signum()).collect();
    /// let data = Labelled::new(Design::dense(a), b).expect("as many classes as rows");
    /// let thirds = Thirds::by_part(&data, |i| i % 3);
    /// let mut problem = Logistic::new(thirds, Penalty::Half).expect("two classes");
    /// let step = HoagRules::preset("paper-half-L").expect("a preset").step;
    /// let tuner = Iterdiff::new(IterdiffSettings { unrolled: 50, outer_iterations: 20, step })?;
    /// let mut rng = ChaCha12Rng::seed_from_u64(1);
    /// let mut losses = Vec::new();
    /// tuner.run(&mut problem, &mut rng, &mut |step, _| {
    ///     losses.push(step.outer_value);
    ///     if step.k < 10 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// })?;
    /// assert!(losses[9] < losses[0]);
    /// # Ok::<(), tuners::tuner::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a count is zero.
    pub fn new(settings: IterdiffSettings) -> Result<Self, Error> {
        for (key, n) in
            [("unrolled", settings.unrolled), ("outer-iterations", settings.outer_iterations)]
        {
            if n == 0 {
                return Err(Error::Setting { key, value: n.to_string(), expected: "at least 1" });
            }
        }
        Ok(Self { settings })
    }
}

/// `g(x_T)` and its derivative with respect to λ through T gradient steps from the origin; leaves
/// `x_T` in `x`.
///
/// Reverse pass: `x̄ = ∇₁g(x_T)`, λ̄ = ∇₂g; for t = T−1 … 0: `λ̄ −= η(∇²₁₂h(x_t))ᵀx̄ + (∇₁h(x_t)ᵀx̄)∇η`
/// with `∇η = −η²∇L`, then `x̄ −= η∇²₁h(x_t)x̄`.
pub fn unrolled_gradient(
    problem: &mut dyn Bilevel,
    lambda: &[f64],
    steps: usize,
    x: &mut [f64],
) -> (f64, Vec<f64>) {
    problem.set_lambda(lambda);
    let eta = 1.0 / problem.smoothness();
    let n = x.len();
    x.fill(0.0);
    let mut path = Vec::with_capacity(steps);
    let mut g = vec![0.0; n];
    for _ in 0..steps {
        path.push(x.to_vec());
        problem.inner(x, &mut g);
        axpy(-eta, &g, x);
    }
    let mut back = vec![0.0; n];
    let value = problem.outer(x, &mut back);
    let mut p = vec![0.0; lambda.len()];
    problem.outer_hyper_gradient(x, &mut p);
    let mut cross = p.clone();
    let mut smoothness = p.clone();
    problem.smoothness_gradient(&mut smoothness);
    let mut next: &[f64] = x;
    for at in path.iter().rev() {
        problem.cross_product(at, &back, &mut cross);
        axpy(-eta, &cross, &mut p);
        // η∇₁h(x_t) = x_t − x_{t+1}.
        let moved: f64 = at.iter().zip(next).zip(&back).map(|((a, b), s)| (a - b) * s).sum();
        axpy(eta * moved, &smoothness, &mut p);
        next = at;
        problem.linearise(at);
        problem.hessian_product(&back, &mut g);
        axpy(-eta, &g, &mut back);
    }
    (value, p)
}

impl BilevelTuner for Iterdiff {
    fn run(
        &self,
        problem: &mut dyn Bilevel,
        _rng: &mut ChaCha12Rng,
        observer: &mut Observer<'_>,
    ) -> Result<Outcome, Error> {
        let mut problem = Counted::new(problem);
        let mut lambda = problem.initial_lambda();
        let mut x = vec![0.0; problem.n_params()];
        let mut step = AdaptiveStep::new(self.settings.step);
        for k in 1..=self.settings.outer_iterations {
            let (value, p) =
                unrolled_gradient(&mut problem, &lambda, self.settings.unrolled, &mut x);
            let gradient_norm = norm(&p);
            let finite = [("the outer loss", value), ("the hypergradient", gradient_norm)];
            if let Some((what, _)) = finite.iter().find(|(_, v)| !v.is_finite()) {
                return Err(Error::NotFinite { k, what, lambda });
            }
            let decision = step.advance(&lambda, value, &p, 0.0, 0.0);
            let counts = problem.counts();
            let row = OuterStep {
                k,
                lambda: std::mem::replace(&mut lambda, decision.lambda),
                outer_value: value,
                gradient_norm,
                gradient: p,
                step: 1.0 / decision.used_lipschitz,
                lipschitz: decision.lipschitz,
                epsilon: 0.0,
                branch: decision.branch,
                inner_iterations: (k * self.settings.unrolled) as u64,
                inner_evaluations: counts.inner,
                hessian_products: counts.hessian_products,
                inner_termination: TerminationReason::MaxIterations,
                linear_termination: TerminationReason::MaxIterations,
            };
            if observer(&row, &x) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(Outcome { lambda, x })
    }
}
