//! What a tuning run leaves behind: one row an evaluation of λ, and beside it the times. Results
//! and measurements are two tables, so that the results are the same bytes on every machine.

use std::{ops::ControlFlow, time::Instant};

use kit::table::Columns;
use numerics::{
    problem::{Bilevel, Counted},
    solve::{inner, lbfgs::Lbfgs},
};
use pipeline::{
    machine,
    stage::{Context, Output, Stop},
};
use tuners::tuner::{OuterStep, Trial, Tuner};

use super::problem::ProblemSpec;

/// The outputs of a tuning run.
pub const OUTPUTS: &[Output] = &[Output::table("main"), Output::measured("times")];

/// One evaluated λ.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// λ, where there are at most two hyper-parameters.
    pub lambda: Vec<f64>,
    /// g at the inner point found.
    pub outer: f64,
    /// Validation loss at that point.
    pub validation: f64,
    /// Norm of the approximate hypergradient; NaN for black-box methods.
    pub gradient_norm: f64,
    /// `ε_k`; NaN for black-box methods.
    pub epsilon: f64,
    /// L; NaN for black-box methods.
    pub lipschitz: f64,
    /// What became of the step.
    pub branch: &'static str,
    /// Inner iterations so far.
    pub inner_iterations: u64,
    /// Evaluations of h and its gradient so far.
    pub inner_evaluations: u64,
    /// Hessian-vector products so far.
    pub hessian_products: u64,
    /// Why the inner solver stopped.
    pub termination: &'static str,
}

/// Collects rows while the clock runs.
pub struct Trace {
    shift: f64,
    rows: Vec<Row>,
    times: Vec<(f64, f64)>,
    cpu: f64,
    wall: Instant,
}

impl Trace {
    /// Starts the clocks.
    #[must_use]
    pub fn start(spec: &ProblemSpec) -> Self {
        let (rows, times) = (Vec::new(), Vec::new());
        Self { shift: spec.shift(), rows, times, cpu: machine::cpu_seconds(), wall: Instant::now() }
    }

    /// Adds a row; `measure` computes what the method itself would not, off the clock.
    pub fn add(&mut self, measure: impl FnOnce() -> Row) {
        let (cpu, wall) = (machine::cpu_seconds(), self.wall.elapsed());
        self.times.push((cpu - self.cpu, wall.as_secs_f64()));
        let mut row = measure();
        if row.lambda.len() > 2 {
            row.lambda.clear();
        }
        row.lambda.iter_mut().for_each(|lambda| *lambda += self.shift);
        self.rows.push(row);
        self.cpu += machine::cpu_seconds() - cpu;
        self.wall += self.wall.elapsed().saturating_sub(wall);
    }

    /// Writes both tables.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(self, cx: &mut Context) -> Result<(), Stop> {
        let rows = &self.rows;
        let steps = || (0..rows.len()).map(|i| u32::try_from(i).unwrap_or(u32::MAX));
        let lambda = |i: usize| rows.iter().map(move |row| row.lambda.get(i).copied());
        let real = |x: f64| Some(x).filter(|x| !x.is_nan());
        let main = Columns::new()
            .index("step", "evaluation of λ, from 0", steps())
            .maybe(
                "lambda0",
                "first hyper-parameter, as in eq. (4) or (5); none beyond two",
                lambda(0),
            )
            .maybe("lambda1", "second hyper-parameter", lambda(1))
            .real(
                "outer",
                "g at the inner point found (sum over the test part)",
                rows.iter().map(|r| r.outer),
            )
            .real(
                "validation",
                "loss on the validation part there (sum)",
                rows.iter().map(|r| r.validation),
            )
            .maybe(
                "gradient_norm",
                "norm of the approximate hypergradient",
                rows.iter().map(|r| real(r.gradient_norm)),
            )
            .maybe("epsilon", "tolerance of this step", rows.iter().map(|r| real(r.epsilon)))
            .maybe("lipschitz", "L after this step", rows.iter().map(|r| real(r.lipschitz)))
            .text("branch", "what became of the step", rows.iter().map(|r| r.branch))
            .count(
                "inner_iterations",
                "inner iterations so far",
                rows.iter().map(|r| r.inner_iterations),
            )
            .count(
                "inner_evaluations",
                "evaluations of h and its gradient so far",
                rows.iter().map(|r| r.inner_evaluations),
            )
            .count(
                "hessian_products",
                "Hessian-vector products so far",
                rows.iter().map(|r| r.hessian_products),
            )
            .text("termination", "why the inner solver stopped", rows.iter().map(|r| r.termination))
            .batch()?;
        cx.write("main", &main)?;
        let times = Columns::new()
            .index("step", "evaluation of λ, from 0", steps())
            .real("cpu_s", "CPU seconds since the start", self.times.iter().map(|t| t.0))
            .real("wall_s", "elapsed seconds since the start", self.times.iter().map(|t| t.1))
            .batch()?;
        Ok(cx.write("times", &times)?)
    }
}

/// Runs `tuner`, a gradient method, and writes its trace. `probe` is a second copy of the problem
/// on which the validation loss is computed off the clock.
///
/// # Errors
/// When a loss is not finite or the disk refuses.
pub fn gradient(
    cx: &mut Context,
    spec: &ProblemSpec,
    tuner: &dyn tuners::tuner::BilevelTuner,
) -> Result<(), Stop> {
    let (mut problem, mut probe) = (spec.build(cx)?, spec.build(cx)?);
    let mut rng = cx.rng("start")?;
    let mut trace = Trace::start(spec);
    let mut observe = |step: &OuterStep, x: &[f64]| {
        trace.add(|| {
            probe.set_lambda(&step.lambda);
            Row {
                lambda: step.lambda.clone(),
                outer: step.outer_value,
                validation: probe.validation_loss(x),
                gradient_norm: step.gradient_norm,
                epsilon: step.epsilon,
                lipschitz: step.lipschitz,
                branch: step.branch.as_str(),
                inner_iterations: step.inner_iterations,
                inner_evaluations: step.inner_evaluations,
                hessian_products: step.hessian_products,
                termination: step.inner_termination.as_str(),
            }
        });
        if cx.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let end = tuner.run(&mut *problem, &mut rng, &mut observe);
    match (end, trace.rows.last_mut()) {
        (Ok(_), _) => {}
        // A method that leaves every bound and diverges is a result: its path so far is kept.
        (Err(tuners::tuner::Error::NotFinite { .. }), Some(last)) => last.termination = "diverged",
        (Err(error), _) => return Err(Stop::Failed(error.to_string())),
    }
    trace.write(cx)
}

/// Runs `tuner`, a black-box method, for at most `evaluations` and writes its trace. Every
/// evaluation is an inner solve from the origin, to `tolerance` relative to the gradient there.
///
/// # Errors
/// When the disk refuses.
pub fn black_box(
    cx: &mut Context,
    spec: &ProblemSpec,
    tuner: &mut dyn Tuner,
    evaluations: usize,
    tolerance: f64,
) -> Result<(), Stop> {
    let mut problem = spec.build(cx)?;
    let mut rng = cx.rng("tuner")?;
    let mut trace = Trace::start(spec);
    let mut problem = Counted::new(&mut *problem);
    let mut iterations = 0;
    for _ in 0..evaluations {
        let Some(suggestion) = tuner.ask(&mut rng) else { break };
        problem.set_lambda(&suggestion.config);
        let mut x = vec![0.0; problem.n_params()];
        let mut gradient = x.clone();
        problem.inner(&x, &mut gradient);
        let target = tolerance * numerics::linalg::vector::norm(&gradient);
        let report = inner::minimise(&mut problem, &mut x, target, &Lbfgs::default());
        iterations += report.iterations as u64;
        let value = problem.outer(&x, &mut gradient);
        let counts = problem.counts();
        let lambda = suggestion.config.clone();
        tuner.tell(Trial { suggestion, value });
        trace.add(|| Row {
            lambda,
            outer: value,
            validation: problem.validation_loss(&x),
            gradient_norm: f64::NAN,
            epsilon: f64::NAN,
            lipschitz: f64::NAN,
            branch: "evaluate",
            inner_iterations: iterations,
            inner_evaluations: counts.inner,
            hessian_products: counts.hessian_products,
            termination: report.reason.as_str(),
        });
    }
    trace.write(cx)
}
