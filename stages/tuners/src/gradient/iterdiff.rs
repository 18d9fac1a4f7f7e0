//! Iterdiff: the hypergradient by reversing the inner iterations \[Domke2012\], those of the solver that HOAG uses too:
//! L-BFGS, or conjugate gradients where the inner problem is quadratic. Every solve starts at the origin.
//!
//! DIFFERS: the paper reverses "the same inner-optimization algorithm as HOAG" without saying how. Conjugate gradients
//! are differentiated exactly; of L-BFGS matrices and step lengths count as constants, since the exact derivative of its
//! iterates explodes (the notes on HOAG have the measurement).

use std::ops::ControlFlow;

use numerics::{
    linalg::vector::norm,
    problem::{Bilevel, Counted, InnerForm},
    solve::stop::TerminationReason,
};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::{
    adaptive_step::{AdaptiveStep, StepRules},
    unrolled::{Path, Unrolled},
    unrolled_cg::conjugate_gradients,
    unrolled_lbfgs::lbfgs,
};
use crate::tuner::{BilevelTuner, Error, Observer, Outcome, OuterStep};

/// Settings of the tuner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IterdiffSettings {
    /// Maximum number of inner iterations T.
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

/// Minimises h(·, λ) from the origin by at most `steps` iterations, whose end is left in `x`, and differentiates the
/// loss there through them. Given the `path` of an earlier solve, L-BFGS goes it again with the same matrices and lengths.
pub fn unrolled(
    problem: &mut dyn Bilevel,
    lambda: &[f64],
    steps: usize,
    path: Option<&Path>,
    x: &mut [f64],
) -> Unrolled {
    problem.set_lambda(lambda);
    match problem.inner_form() {
        InnerForm::Smooth => lbfgs(problem, steps, path, x),
        InnerForm::Quadratic => conjugate_gradients(problem, steps, x),
    }
}

/// Why an inner solve ended.
fn ended(at_limit: bool) -> TerminationReason {
    if at_limit { TerminationReason::MaxIterations } else { TerminationReason::Converged }
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
        let mut inner_iterations = 0;
        for k in 1..=self.settings.outer_iterations {
            let steps = self.settings.unrolled;
            let solved = unrolled(&mut problem, &lambda, steps, None, &mut x);
            let Unrolled { value, hypergradient: p, .. } = solved;
            inner_iterations += solved.iterations as u64;
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
                inner_iterations,
                inner_evaluations: counts.inner,
                hessian_products: counts.hessian_products,
                inner_termination: ended(solved.iterations == steps),
                linear_termination: TerminationReason::MaxIterations,
            };
            if observer(&row, &x) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(Outcome { lambda, x })
    }
}
