//! The true f at every λ that any method visited on one split, and the optimum f*. Computed off
//! the clock, so that all methods are measured by the same yardstick.

use kit::port::{Many, Out};
use numerics::{
    linalg::vector::norm,
    problem::{Bilevel, InnerForm},
    solve::{cg, inner, lbfgs::Lbfgs, newton_cg, projected_bfgs},
    space::Bounds,
};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    problem::ProblemSpec,
    rounding::{key, lambda, lattice},
    tables::{
        exact::{Optimum, Visited},
        trace::Step,
    },
};

/// Evaluates f on one split.
#[derive(Serialize, Deserialize)]
pub struct Exact {
    /// The problem, in the parametrisation of eq. (4) or (5).
    pub problem: ProblemSpec,
    /// The optimum is searched for in [−bound, bound]ˢ.
    pub bound: f64,
    /// Memory, MiB.
    #[serde(skip)]
    pub memory_mib: u64,
}

/// The accuracy with which f is computed.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy {
    /// Inner solves stop at this share of the gradient norm at the origin.
    share: f64,
    /// The maximum number of iterations of conjugate gradients, over all Newton steps.
    iterations: usize,
}

/// For a first evaluation at every λ, and for figures.
pub const ROUGH: Accuracy = Accuracy { share: 1e-6, iterations: 1000 };
/// Near the optimum, where suboptimalities down to 1e-4 are compared, and along a grid, where minima of f are
/// counted: f to about 1e-9 relative.
pub const FINE: Accuracy = Accuracy { share: 1e-10, iterations: 5000 };
/// For the optimum itself.
const FINEST: Accuracy = Accuracy { share: 1e-11, iterations: 5000 };
/// The suboptimality that counts as near: the claims concern suboptimalities of 1e-2 and below.
const NEAR: f64 = 0.05;

/// f, validation loss and hypergradient at one λ, from a warm start.
pub struct Yardstick {
    problem: Box<dyn Bilevel>,
    /// Whether every value is exact, whatever accuracy is requested.
    closed_form: bool,
    x: Vec<f64>,
    q: Vec<f64>,
}

impl Yardstick {
    /// The settings for one problem.
    #[must_use]
    pub fn new(problem: Box<dyn Bilevel>) -> Self {
        let n = problem.n_params();
        let closed_form = inner::has_closed_form(&*problem);
        Self { problem, closed_form, x: vec![0.0; n], q: vec![0.0; n] }
    }

    /// f(λ) and the validation loss.
    pub fn value(&mut self, lambda: &[f64], accuracy: Accuracy) -> (f64, f64) {
        let problem = &mut *self.problem;
        problem.set_lambda(lambda);
        let mut gradient = vec![0.0; self.x.len()];
        if !(self.closed_form && inner::minimise_in_closed_form(problem, &mut self.x).is_some()) {
            problem.inner(&vec![0.0; self.x.len()], &mut gradient);
            let scale = norm(&gradient);
            let target = accuracy.share * scale;
            match problem.inner_form() {
                InnerForm::Smooth => {
                    let limits = (target, scale);
                    newton_cg::minimise(problem, &mut self.x, limits, accuracy.iterations);
                }
                InnerForm::Quadratic => {
                    let solver = Lbfgs { max_iterations: accuracy.iterations, ..Lbfgs::default() };
                    inner::minimise(problem, &mut self.x, target, &solver);
                }
            }
        }
        let outer = problem.outer(&self.x, &mut gradient);
        (outer, problem.validation_loss(&self.x))
    }

    /// f(λ) and ∇f(λ).
    pub fn gradient(&mut self, lambda: &[f64]) -> (f64, Vec<f64>) {
        if self.closed_form {
            let problem = &mut *self.problem;
            problem.set_lambda(lambda);
            if let Some(factored) = inner::minimise_in_closed_form(problem, &mut self.x) {
                let mut right = vec![0.0; self.x.len()];
                let outer = problem.outer(&self.x, &mut right);
                inner::solve_factored(problem, &factored, &right, &mut self.q);
                return (outer, inner::hypergradient(problem, &self.x, &self.q));
            }
        }
        self.value(lambda, FINEST);
        let problem = &mut *self.problem;
        let mut right = vec![0.0; self.x.len()];
        let outer = problem.outer(&self.x, &mut right);
        problem.linearise(&self.x);
        let target = FINEST.share * norm(&right);
        cg::solve(&mut self.q, &right, target, FINEST.iterations, |v, out| {
            problem.hessian_product(v, out);
        });
        (outer, inner::hypergradient(problem, &self.x, &self.q))
    }
}

impl Exact {
    /// All runs on the split.
    pub const RUNS: Many<Step> = Many::new("run ");
    /// f at the λ that they visited.
    pub const MAIN: Out<Visited> = Out::table("main");
    /// f*.
    pub const OPTIMUM: Out<Optimum> = Out::table("optimum");
}

impl Stage for Exact {
    const KIND: &'static str = "hoag/exact";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::OPTIMUM.output()];

    fn needs(&self) -> Needs {
        Needs::worker(self.memory_mib)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut visited = Vec::new();
        for (method, steps) in Self::RUNS.read(cx)? {
            for at in steps.iter().map(Step::lambda) {
                if !at.0.is_finite() {
                    return Err(Stop::Failed(format!("a λ of {method} is not finite")));
                }
                visited.push(lattice(at));
            }
        }
        // Neighbours in λ are neighbours in x: each solve starts from the last.
        visited.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        visited.dedup_by(|a, b| key(*a) == key(*b));
        let mut yardstick = Yardstick::new(self.problem.build(cx)?);
        let mut values: Vec<_> =
            visited.iter().map(|&at| yardstick.value(&lambda(at), ROUGH)).collect();
        let lowest = values.iter().map(|v| v.0).fold(f64::INFINITY, f64::min);
        for (at, value) in visited.iter().zip(&mut values).rev() {
            if !yardstick.closed_form && value.0 <= lowest * (1.0 + NEAR) {
                *value = yardstick.value(&lambda(*at), FINE);
            }
        }
        let best = (0..visited.len()).min_by(|&a, &b| values[a].0.total_cmp(&values[b].0));
        let start = best.map_or_else(|| vec![0.0], |i| lambda(visited[i]));
        let bounds =
            Bounds::cube(start.len(), self.bound).map_err(|e| Stop::Failed(e.to_string()))?;
        // DIFFERS: the paper takes the best of ten restarts of its own method; this is the best
        // point of all methods, refined on the exact hypergradient: never higher.
        let found =
            projected_bfgs::minimise(&start, &bounds, 1e-7, 60, |at| yardstick.gradient(at));
        let (outer, validation) = yardstick.value(&found.x, FINEST);
        let row = |(&(lambda0, lambda1), (outer, validation))| Visited {
            lambda0,
            lambda1,
            outer,
            validation,
        };
        let rows: Vec<Visited> = visited.iter().zip(values).map(row).collect();
        Self::MAIN.write(cx, &rows)?;
        let optimum = Optimum {
            lambda0: found.x[0],
            lambda1: found.x.get(1).copied(),
            outer,
            validation,
            gradient_norm: norm(&found.gradient),
        };
        Self::OPTIMUM.write(cx, &[optimum])
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use models::bilevel::{
        kernel_ridge::{Distance, KernelRidge},
        labelled::{Labelled, Thirds},
    };
    use numerics::linalg::design::Design;

    fn kernel_ridge() -> Box<dyn Bilevel> {
        let at = |i: usize, j: usize| ((7 * i + 3 * j) % 11) as f64 / 5.0 - 1.0;
        let rows = Array2::from_shape_fn((60, 3), |(i, j)| at(i, j * j) + at(j, i));
        let targets = (0..60).map(|i| (0.3 * f64::from(i)).sin()).collect();
        let all = Labelled::new(Design::dense(rows), targets).unwrap();
        let parts = Thirds::by_part(&all, |i| i % 3);
        Box::new(KernelRidge::new(&parts, Distance::Squared).unwrap())
    }

    #[test]
    fn a_kernel_machine_is_measured_by_its_closed_form() {
        let mut exact = Yardstick::new(kernel_ridge());
        let mut iterated = Yardstick { closed_form: false, ..Yardstick::new(kernel_ridge()) };
        assert!(exact.closed_form);
        for lambda in [[-1.0, 0.0], [-1.0, -8.0], [-4.0, -2.0], [1.5, 3.0]] {
            let (a, b) = (exact.value(&lambda, ROUGH), iterated.value(&lambda, FINEST));
            assert!((a.0 - b.0).abs() < 1e-7 * b.0, "{lambda:?}: {a:?} against {b:?}");
            assert!((a.1 - b.1).abs() < 1e-7 * b.1, "{lambda:?}: {a:?} against {b:?}");
            let (a, b) = (exact.gradient(&lambda), iterated.gradient(&lambda));
            assert!((a.0 - b.0).abs() < 1e-7 * b.0);
            for (p, q) in a.1.iter().zip(&b.1) {
                assert!((p - q).abs() < 1e-6 * norm(&b.1), "{lambda:?}: {a:?} against {b:?}");
            }
            // Not from the end of the previous solve, and at full accuracy whatever is requested.
            let mut fresh = Yardstick::new(kernel_ridge());
            let (again, first) = (exact.value(&lambda, ROUGH), fresh.value(&lambda, ROUGH));
            assert!((again.0 - first.0).abs() < 1e-12 * first.0, "{lambda:?}");
        }
    }
}
