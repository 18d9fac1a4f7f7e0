//! Records a tuning run step by step: its evaluations and, separately, the times.

use std::{ops::ControlFlow, time::Instant};

use driver::Search;
use kit::port::Out;
use numerics::{
    problem::{Bilevel, Counted},
    solve::{inner, lbfgs::Lbfgs},
};
use pipeline::{
    machine,
    stage::{Context, Output, Stop},
};
use tuners::tuner::{OuterStep, Tuner};

use super::{
    problem::ProblemSpec,
    tables::trace::{Clock, Step},
};

/// The evaluations.
pub const MAIN: Out<Step> = Out::table("main");
/// The times.
pub const TIMES: Out<Clock> = Out::measured("times");
/// The outputs of a tuning run.
pub const OUTPUTS: &[Output] = &[MAIN.output(), TIMES.output()];

/// Collects rows while the clock runs.
pub struct Trace {
    shift: f64,
    steps: Vec<Step>,
    times: Vec<Clock>,
    cpu: f64,
    wall: Instant,
}

impl Trace {
    /// Starts the clocks.
    #[must_use]
    pub fn start(spec: &ProblemSpec) -> Self {
        let (steps, times) = (Vec::new(), Vec::new());
        Self {
            shift: spec.shift(),
            steps,
            times,
            cpu: machine::cpu_seconds(),
            wall: Instant::now(),
        }
    }

    /// Adds a step at this λ; `measure` computes, off the clock, values that the method itself does not need.
    pub fn add(&mut self, lambda: &[f64], measure: impl FnOnce() -> Step) {
        let (cpu, wall) = (machine::cpu_seconds(), self.wall.elapsed());
        let step = self.steps.len();
        self.times.push(Clock { step, cpu_s: cpu - self.cpu, wall_s: wall.as_secs_f64() });
        let shown = |i: usize| lambda.get(i).filter(|_| lambda.len() <= 2).map(|l| l + self.shift);
        self.steps.push(Step { step, lambda0: shown(0), lambda1: shown(1), ..measure() });
        self.cpu += machine::cpu_seconds() - cpu;
        self.wall += self.wall.elapsed().saturating_sub(wall);
    }

    /// Writes both tables.
    ///
    /// # Errors
    /// If writing to disk fails.
    pub fn write(self, cx: &mut Context) -> Result<(), Stop> {
        MAIN.write(cx, &self.steps)?;
        TIMES.write(cx, &self.times)
    }
}

/// Runs `tuner`, a gradient method, and writes its trace. `probe` is a second copy of the problem
/// on which the validation loss is computed off the clock.
///
/// # Errors
/// If a loss is not finite or writing to disk fails.
pub fn gradient(
    cx: &mut Context,
    spec: &ProblemSpec,
    tuner: &dyn tuners::tuner::BilevelTuner,
) -> Result<(), Stop> {
    let (mut problem, mut probe) = (spec.build(cx)?, spec.build(cx)?);
    let mut rng = cx.rng("start")?;
    let mut trace = Trace::start(spec);
    let mut observe = |step: &OuterStep, x: &[f64]| {
        trace.add(&step.lambda, || {
            probe.set_lambda(&step.lambda);
            Step {
                outer: step.outer_value,
                validation: probe.validation_loss(x),
                gradient_norm: step.gradient_norm,
                epsilon: step.epsilon,
                lipschitz: step.lipschitz,
                branch: step.branch.as_str().into(),
                inner_iterations: step.inner_iterations,
                inner_evaluations: step.inner_evaluations,
                hessian_products: step.hessian_products,
                termination: step.inner_termination.as_str().into(),
                ..Step::default()
            }
        });
        if cx.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let end = tuner.run(&mut *problem, &mut rng, &mut observe);
    match (end, trace.steps.last_mut()) {
        (Ok(_), _) => {}
        // A method that diverges is a result: its path so far is kept.
        (Err(tuners::tuner::Error::NotFinite { .. }), Some(last)) => {
            last.termination = "diverged".into();
        }
        (Err(error), _) => return Err(Stop::Failed(error.to_string())),
    }
    trace.write(cx)
}

/// Runs `tuner`, a black-box method, for at most `evaluations` and writes its trace. Every
/// evaluation is an inner solve from the origin, to `tolerance` relative to the gradient there.
///
/// # Errors
/// If writing to disk fails.
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
    Search::new(tuner, &mut rng).run(evaluations, |suggestion, _| {
        problem.set_lambda(&suggestion.config);
        let mut x = vec![0.0; problem.n_params()];
        let mut gradient = x.clone();
        problem.inner(&x, &mut gradient);
        let target = tolerance * numerics::linalg::vector::norm(&gradient);
        let report = inner::minimise(&mut problem, &mut x, target, &Lbfgs::default());
        iterations += report.iterations as u64;
        let value = problem.outer(&x, &mut gradient);
        let counts = problem.counts();
        trace.add(&suggestion.config, || Step {
            outer: value,
            validation: problem.validation_loss(&x),
            gradient_norm: f64::NAN,
            epsilon: f64::NAN,
            lipschitz: f64::NAN,
            branch: "evaluate".into(),
            inner_iterations: iterations,
            inner_evaluations: counts.inner,
            hessian_products: counts.hessian_products,
            termination: report.reason.as_str().into(),
            ..Step::default()
        });
        Ok(Some(value.into()))
    })?;
    trace.write(cx)
}

#[cfg(test)]
mod tests {
    use models::bilevel::{kernel_ridge::Distance, logistic::Penalty};

    use super::*;
    use crate::problem::{Model, Scaling};

    #[test]
    fn steps_are_numbered_and_show_at_most_two_hyper_parameters_on_the_scale_of_the_paper() {
        let (model, penalty) = (Model::Logistic, Penalty::Half);
        let (scaling, distance) = (Scaling::None, Distance::Squared);
        let mut trace = Trace::start(&ProblemSpec { model, scaling, penalty, distance });
        for lambda in [&[1.0][..], &[1.0, 2.0], &[1.0, 2.0, 3.0]] {
            trace.add(lambda, || Step { step: 9, outer: 5.0, ..Step::default() });
        }
        let ln_2 = std::f64::consts::LN_2;
        let shown: Vec<_> = trace.steps.iter().map(|s| (s.step, s.lambda0, s.lambda1)).collect();
        let expected =
            [(0, Some(1.0 - ln_2), None), (1, Some(1.0 - ln_2), Some(2.0 - ln_2)), (2, None, None)];
        assert_eq!(shown, expected);
        assert!(trace.steps.iter().all(|step| step.outer == 5.0));
        let numbers: Vec<usize> = trace.times.iter().map(|clock| clock.step).collect();
        assert_eq!(numbers, [0, 1, 2]);
    }

    #[test]
    fn what_is_measured_beside_a_method_is_off_its_clock() {
        let (model, penalty) = (Model::KernelRidge, Penalty::Full);
        let (scaling, distance) = (Scaling::None, Distance::Squared);
        let mut trace = Trace::start(&ProblemSpec { model, scaling, penalty, distance });
        let pause = std::time::Duration::from_millis(300);
        for _ in 0..2 {
            trace.add(&[0.0], || {
                std::thread::sleep(pause);
                Step::default()
            });
        }
        // Both pauses are over; the second step began after the first.
        let second = trace.times[1].wall_s;
        assert!((0.0..pause.as_secs_f64()).contains(&second), "{second}");
    }
}
