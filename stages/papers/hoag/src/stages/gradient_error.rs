//! Theorem 1: the error of the hypergradient against the tolerance.

use kit::{port::Out, ranges::Ranges};
use numerics::{
    linalg::vector::norm,
    solve::{cg, inner, lbfgs::Lbfgs},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{problem::ProblemSpec, tables::gradient_error::GradientErrorRow};

/// Theorem 1: tolerances at which the hypergradient's error is measured.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema, Ranges)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GradientErrorValues {
    /// ε.
    #[range(entries = 3, above = 0)]
    pub epsilons: Vec<f64>,
    /// First hyper-parameters at which it is measured, as offsets from λ₀.
    pub offsets: Vec<f64>,
}

/// Measures ‖∇f(λ) − p(λ, ε)‖ on one split.
#[derive(Serialize, Deserialize)]
pub struct GradientError {
    /// Its name in tables.
    pub name: String,
    /// The problem.
    pub problem: ProblemSpec,
    /// The λ and the ε.
    pub values: GradientErrorValues,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

impl GradientError {
    /// The measured errors.
    pub const MAIN: Out<GradientErrorRow> = Out::table("main");
}

impl Stage for GradientError {
    const KIND: &'static str = "hoag/gradient-error";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut problem = self.problem.build(cx)?;
        let problem = &mut *problem;
        let n = problem.n_params();
        let mut rows = Vec::new();
        for offset in &self.values.offsets {
            let mut lambda = problem.initial_lambda();
            lambda[0] += offset;
            let exact = inner::exact(problem, &lambda, vec![0.0; n]).hypergradient;
            for &epsilon in &self.values.epsilons {
                // Lemma 4: ‖∇h‖ ≤ με bounds the distance to X(λ) by ε. Enough iterations to get
                // there: this measures the theorem, not the budget of 100.
                let (mut x, mut q, mut right) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                let solver = Lbfgs { max_iterations: 5000, ..Lbfgs::default() };
                let tolerance = problem.strong_convexity() * epsilon;
                inner::minimise(problem, &mut x, tolerance, &solver);
                problem.outer(&x, &mut right);
                problem.linearise(&x);
                cg::solve(&mut q, &right, epsilon, 5000, |v, out| problem.hessian_product(v, out));
                let found = inner::hypergradient(problem, &x, &q);
                let error: Vec<f64> = found.iter().zip(&exact).map(|(a, b)| a - b).collect();
                rows.push(GradientErrorRow {
                    problem: self.name.clone(),
                    lambda0: lambda[0],
                    epsilon,
                    error: norm(&error),
                    gradient: norm(&exact),
                });
            }
        }
        Self::MAIN.write(cx, &rows)
    }
}
