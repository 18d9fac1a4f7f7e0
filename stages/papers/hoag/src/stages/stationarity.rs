//! Theorem 2: the decrease of the exact gradient mapping along long runs.

use kit::port::{Many, Out};
use numerics::{linalg::vector::norm, problem::Bilevel, solve::inner};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    problem::ProblemSpec,
    rounding::lambda,
    tables::{stationarity::Ends, trace::Step},
};

/// Measures the ends of long runs on one split.
#[derive(Serialize, Deserialize)]
pub struct Stationarity {
    /// Its name in tables.
    pub name: String,
    /// The problem, in the parametrisation of eq. (4) or (5).
    pub problem: ProblemSpec,
    /// Configuration of HOAG, in tables.
    pub rules: String,
    /// D = [−bound, bound]ˢ.
    pub bound: f64,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl Stationarity {
    /// The long runs, by tolerance sequence.
    pub const RUNS: Many<Step> = Many::new("run ");
    /// The ends of the runs.
    pub const MAIN: Out<Ends> = Out::table("main");
}

impl Stage for Stationarity {
    const KIND: &'static str = "hoag/stationarity";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut problem = self.problem.build(cx)?;
        let mut rows = Vec::new();
        for (method, steps) in Self::RUNS.read(cx)? {
            let (Some(start), Some(end)) = (steps.first(), steps.last()) else { continue };
            let (start, end) = (lambda(start.lambda()), lambda(end.lambda()));
            let first = gradient(&mut *problem, &start);
            // The initial L of the step rule, with which the first move has length 1.
            let lipschitz = norm(&first);
            let last = gradient(&mut *problem, &end);
            rows.push(Ends {
                problem: self.name.clone(),
                rules: self.rules.clone(),
                method,
                start: mapping(&start, &first, lipschitz, self.bound),
                end: mapping(&end, &last, lipschitz, self.bound),
                steps: steps.len(),
            });
        }
        Self::MAIN.write(cx, &rows)
    }
}

/// ∇f(λ), computed to the limit of the arithmetic.
fn gradient(problem: &mut dyn Bilevel, lambda: &[f64]) -> Vec<f64> {
    let n = problem.n_params();
    inner::exact(problem, lambda, vec![0.0; n]).hypergradient
}

/// `L ‖λ − P_D(λ − ∇f(λ)/L)‖` for D = \[−bound, bound\]ⁿ: the norm of the gradient if D does not clip the
/// step. 0 if the initial gradient, whose norm is L, is 0.
fn mapping(lambda: &[f64], gradient: &[f64], lipschitz: f64, bound: f64) -> f64 {
    if lipschitz == 0.0 {
        return 0.0;
    }
    let moved =
        lambda.iter().zip(gradient).map(|(l, g)| l - (l - g / lipschitz).clamp(-bound, bound));
    lipschitz * norm(&moved.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_is_the_gradient_where_the_box_does_not_cut_it() {
        let gradient = [30.0, -40.0];
        assert!((mapping(&[0.0, 0.0], &gradient, 50.0, 12.0) - 50.0).abs() < 1e-12);
        // With a step of 1 the box would have clipped it to 12√2.
        assert!((mapping(&[0.0, 0.0], &gradient, 1.0, 12.0) - 12.0 * 2.0_f64.sqrt()).abs() < 1e-12);
        // At the edge of the box the mapping is 0 if the step points outwards.
        assert_eq!(mapping(&[12.0], &[-3.0], 50.0, 12.0), 0.0);
    }
}
