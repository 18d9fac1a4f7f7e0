//! HOAG: hyper-parameter optimisation with approximate gradient, \[Pedregosa2016\] algorithm 1.

use std::ops::ControlFlow;

use numerics::{
    linalg::vector::norm,
    problem::{Bilevel, Counted},
    solve::{cg, inner, lbfgs::Lbfgs, stop::TerminationReason},
};
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::{
    adaptive_step::AdaptiveStep,
    hoag_rules::{Accuracy, HoagRules, InnerStop, LinearStop, Start},
};
use crate::tuner::{BilevelTuner, Branch, Error, Observer, Outcome, OuterStep};

/// The HOAG tuner with checked rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hoag {
    rules: HoagRules,
}

impl Hoag {
    /// A tuner with these rules.
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
    /// use tuners::{gradient::{hoag::Hoag, hoag_rules::HoagRules}, tuner::BilevelTuner as _};
    ///
    /// // Two features, the first of which decides the class; a third of the rows in each part.
    /// let a = Array2::from_shape_fn((60, 2), |(i, j)| if j == 0 { (i as f64).sin() } else { 0.3 });
    /// let b = (0..60).map(|i| (i as f64).sin().signum()).collect();
    /// let data = Labelled::new(Design::dense(a), b).expect("as many classes as rows");
    /// let thirds = Thirds::by_part(&data, |i| i % 3);
    /// let mut problem = Logistic::new(thirds, Penalty::Half).expect("two classes");
    /// let tuner = Hoag::new(HoagRules::preset("code-head").expect("a preset"))?;
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
    /// If a rule is out of range.
    pub fn new(rules: HoagRules) -> Result<Self, Error> {
        rules.check()?;
        Ok(Self { rules })
    }

    /// The ‖∇₁h‖ at which the inner solver can stop.
    fn inner_tolerance(&self, problem: &dyn Bilevel, epsilon: f64, run: &Run) -> f64 {
        match self.rules.inner_stop {
            InnerStop::StrongConvexity => problem.strong_convexity() * epsilon,
            InnerStop::RelativeTimesPenalty => epsilon * run.first_norm * least(&run.lambda).exp(),
            InnerStop::RelativeAliased => {
                let origin = if run.aliased { &run.lambda } else { &run.origin };
                epsilon * run.first_norm * (least(&run.stepped_from) - least(origin)).exp()
            }
            InnerStop::Floor => self.rules.tolerances.floor.max(1e-12),
        }
    }

    /// Solves both subproblems at `λ_k`; leaves `x_k` and `q_k` in `run` and returns g, p and how the solvers
    /// ended.
    fn evaluate(&self, problem: &mut Counted<'_>, epsilon: f64, run: &mut Run) -> Evaluation {
        if self.rules.accuracy == Accuracy::Machine {
            let exact = inner::exact(problem, &run.lambda, std::mem::take(&mut run.x));
            run.x = exact.x;
            run.inner_iterations += exact.report.iterations as u64;
            return Evaluation {
                value: exact.outer,
                gradient: exact.hypergradient,
                inner: exact.report.reason,
                linear: TerminationReason::Converged,
            };
        }
        problem.set_lambda(&run.lambda);
        let solver = Lbfgs { max_iterations: self.rules.max_inner, ..Lbfgs::default() };
        let tolerance = self.inner_tolerance(problem, epsilon, run);
        let report = inner::minimise(problem, &mut run.x, tolerance, &solver);
        run.inner_iterations += report.iterations as u64;
        let value = problem.outer(&run.x, &mut run.outer_gradient);
        problem.linearise(&run.x);
        let size = norm(&run.outer_gradient);
        let tolerance = match self.rules.linear_stop {
            LinearStop::Absolute => epsilon,
            LinearStop::Relative => epsilon * size,
            LinearStop::RelativeTimesNorm => epsilon * size * size,
        };
        if !run.linear_started && self.rules.linear_start_at_x {
            run.q.copy_from_slice(&run.x);
        }
        run.linear_started = true;
        let linear =
            cg::solve(&mut run.q, &run.outer_gradient, tolerance, self.rules.max_inner, |v, o| {
                problem.hessian_product(v, o);
            });
        let gradient = inner::hypergradient(problem, &run.x, &run.q);
        Evaluation { value, gradient, inner: report.reason, linear: linear.reason }
    }
}

/// The result of one evaluation at `λ_k`.
struct Evaluation {
    value: f64,
    gradient: Vec<f64>,
    inner: TerminationReason,
    linear: TerminationReason,
}

/// The state that is passed from one outer iteration to the next.
struct Run {
    lambda: Vec<f64>,
    /// λ₀.
    origin: Vec<f64>,
    /// The λ from which the last single move started.
    stepped_from: Vec<f64>,
    /// Whether no move has been undone yet.
    aliased: bool,
    x: Vec<f64>,
    q: Vec<f64>,
    outer_gradient: Vec<f64>,
    linear_started: bool,
    /// ‖∇₁h(x₀, λ₀)‖.
    first_norm: f64,
    inner_iterations: u64,
}

impl BilevelTuner for Hoag {
    fn run(
        &self,
        problem: &mut dyn Bilevel,
        rng: &mut ChaCha12Rng,
        observer: &mut Observer<'_>,
    ) -> Result<Outcome, Error> {
        let mut problem = Counted::new(problem);
        let n = problem.n_params();
        let lambda = problem.initial_lambda();
        let x: Vec<f64> = match self.rules.start {
            Start::Zeros => vec![0.0; n],
            Start::Normal => (0..n).map(|_| StandardNormal.sample(rng)).collect(),
        };
        let mut run = Run {
            origin: lambda.clone(),
            stepped_from: lambda.clone(),
            lambda,
            aliased: true,
            x,
            q: vec![0.0; n],
            outer_gradient: vec![0.0; n],
            linear_started: false,
            first_norm: 0.0,
            inner_iterations: 0,
        };
        problem.set_lambda(&run.lambda);
        if matches!(
            self.rules.inner_stop,
            InnerStop::RelativeTimesPenalty | InnerStop::RelativeAliased
        ) {
            problem.inner(&run.x, &mut run.outer_gradient);
            run.first_norm = norm(&run.outer_gradient);
        }
        let tolerances = self.rules.tolerances;
        let mut epsilon = tolerances.start();
        let mut step = AdaptiveStep::new(self.rules.step);
        for k in 1..=self.rules.outer_iterations {
            let at = self.evaluate(&mut problem, epsilon, &mut run);
            let gradient_norm = norm(&at.gradient);
            let finite = [("the outer loss", at.value), ("the hypergradient", gradient_norm)];
            if let Some((what, _)) = finite.iter().find(|(_, v)| !v.is_finite()) {
                return Err(Error::NotFinite { k, what, lambda: run.lambda });
            }
            let next_epsilon = tolerances.after(k, epsilon);
            let decision = step.advance(&run.lambda, at.value, &at.gradient, epsilon, next_epsilon);
            let counts = problem.counts();
            let row = OuterStep {
                k,
                lambda: run.lambda.clone(),
                outer_value: at.value,
                gradient_norm,
                gradient: at.gradient,
                step: 1.0 / decision.used_lipschitz,
                lipschitz: decision.lipschitz,
                epsilon,
                branch: decision.branch,
                inner_iterations: run.inner_iterations,
                inner_evaluations: counts.inner,
                hessian_products: counts.hessian_products,
                inner_termination: at.inner,
                linear_termination: at.linear,
            };
            run.aliased &= decision.branch != Branch::Reject;
            run.stepped_from = std::mem::replace(&mut run.lambda, decision.lambda);
            epsilon = (next_epsilon * decision.tighten).max(tolerances.floor);
            if observer(&row, &run.x) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(Outcome { lambda: run.lambda, x: run.x })
    }
}

/// min λ.
fn least(lambda: &[f64]) -> f64 {
    lambda.iter().copied().fold(f64::INFINITY, f64::min)
}
