//! Solves the inner problem of a bilevel problem and computes its implicit derivative, inexactly or to
//! machine precision.

use ndarray::{Array2, ArrayView1};

use super::cg;
use super::lbfgs::Lbfgs;
use super::stop::TerminationReason;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::vector::{add_scaled, axpy, max_abs, norm};
use crate::problem::{Bilevel, InnerForm};

/// Up to this order exact solves factor the Hessian; beyond it they use conjugate gradients.
const FACTOR_LIMIT: usize = 2048;

/// How an inner solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Iterations of L-BFGS, conjugate gradients or Newton.
    pub iterations: usize,
    /// The ‖∇₁h‖₂ that was reached.
    pub gradient_norm: f64,
    /// Why it stopped.
    pub reason: TerminationReason,
}

/// Minimises h(·, λ) from `x` until ‖∇₁h‖₂ ≤ `tolerance`: L-BFGS, or linear conjugate gradients if
/// h is quadratic.
pub fn minimise(
    problem: &mut dyn Bilevel,
    x: &mut [f64],
    tolerance: f64,
    solver: &Lbfgs,
) -> Report {
    match problem.inner_form() {
        InnerForm::Smooth => {
            let r = solver.minimise(x, tolerance, |x, g| problem.inner(x, g));
            Report { iterations: r.iterations, gradient_norm: r.gradient_norm, reason: r.reason }
        }
        InnerForm::Quadratic => {
            let origin = vec![0.0; x.len()];
            let mut b = vec![0.0; x.len()];
            problem.inner(&origin, &mut b);
            for v in &mut b {
                *v = -*v;
            }
            problem.linearise(&origin);
            let r = cg::solve(x, &b, tolerance, solver.max_iterations, |v, out| {
                problem.hessian_product(v, out);
            });
            Report { iterations: r.iterations, gradient_norm: r.residual, reason: r.reason }
        }
    }
}

/// ∇f = ∇₂g − (∇²₁₂h)ᵀ q, \[Pedregosa2016\] eq. (2), for q ≈ (∇²₁h)⁻¹∇₁g; length s.
pub fn hypergradient(problem: &mut dyn Bilevel, x: &[f64], q: &[f64]) -> Vec<f64> {
    let mut p = vec![0.0; problem.n_hyper()];
    let mut cross = p.clone();
    problem.outer_hyper_gradient(x, &mut p);
    problem.cross_product(x, q, &mut cross);
    axpy(-1.0, &cross, &mut p);
    p
}

/// The Hessian at the linearised point, factored if small enough.
fn factor(problem: &mut dyn Bilevel, n: usize) -> Option<Cholesky> {
    if n > FACTOR_LIMIT {
        return None;
    }
    let h = problem.hessian().unwrap_or_else(|| by_columns(problem, n));
    Cholesky::of(h).ok()
}

/// The Hessian at the linearised point from its products with the unit vectors.
fn by_columns(problem: &mut dyn Bilevel, n: usize) -> Array2<f64> {
    let mut h = Array2::zeros((n, n));
    let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n {
        unit[j] = 1.0;
        problem.hessian_product(&unit, &mut column);
        unit[j] = 0.0;
        h.row_mut(j).assign(&ArrayView1::from(&column));
    }
    h
}

/// Whether factoring the Hessian is the quickest way to minimise the inner problem: it is quadratic, and the
/// model has the Hessian as a matrix that is small enough.
pub fn has_closed_form(problem: &dyn Bilevel) -> bool {
    let quadratic = problem.inner_form() == InnerForm::Quadratic;
    quadratic && problem.n_params() <= FACTOR_LIMIT && problem.hessian().is_some()
}

/// Minimises a quadratic h(·, λ) to the limit of the arithmetic, and returns its factored Hessian; `None`,
/// with x unchanged, if that is not positive definite.
pub fn minimise_in_closed_form(problem: &mut dyn Bilevel, x: &mut [f64]) -> Option<Cholesky> {
    let origin = vec![0.0; x.len()];
    let mut b = vec![0.0; x.len()];
    problem.inner(&origin, &mut b);
    for v in &mut b {
        *v = -*v;
    }
    problem.linearise(&origin);
    let factored = factor(problem, x.len())?;
    solve_exactly(problem, Some(&factored), &b, x);
    Some(factored)
}

/// q ← (∇²₁h)⁻¹ b with the factored Hessian of the linearised point.
pub fn solve_factored(problem: &mut dyn Bilevel, factored: &Cholesky, b: &[f64], q: &mut [f64]) {
    solve_exactly(problem, Some(factored), b, q);
}

/// q ← (∇²₁h)⁻¹ b at the linearised point, to machine precision: factorisation and refinement, or
/// conjugate gradients.
fn solve_exactly(problem: &mut dyn Bilevel, factored: Option<&Cholesky>, b: &[f64], q: &mut [f64]) {
    let Some(c) = factored else {
        // Restarts replace the drifting recurrence by the true residual.
        for _ in 0..3 {
            cg::solve(q, b, 1e-15 * norm(b), 20_000, |v, out| problem.hessian_product(v, out));
        }
        return;
    };
    q.copy_from_slice(&c.solve(ArrayView1::from(b)).to_vec());
    // Refinement corrects for rounding and for a factor that was computed at a nearby point.
    let (mut r, mut before) = (vec![0.0; q.len()], f64::INFINITY);
    for _ in 0..50 {
        problem.hessian_product(q, &mut r);
        for (t, v) in r.iter_mut().zip(b) {
            *t = v - *t;
        }
        let size = norm(&r);
        let falls = size < 0.5 * before;
        if !falls {
            break;
        }
        before = size;
        axpy(1.0, &c.solve(ArrayView1::from(&r)).to_vec(), q);
    }
}

/// Minimises h(·, λ) from `x` to the limit of the arithmetic: L-BFGS, then damped Newton steps until ‖∇₁h‖
/// falls no further. Also returns the last factored Hessian, which was computed near the minimum.
fn newton(problem: &mut dyn Bilevel, x: &mut [f64]) -> (Report, Option<Cholesky>) {
    let n = x.len();
    let mut g = vec![0.0; n];
    problem.inner(x, &mut g);
    let scale = norm(&g).max(f64::MIN_POSITIVE);
    if problem.inner_form() == InnerForm::Smooth {
        let rough = Lbfgs { max_iterations: 300, ..Lbfgs::default() };
        rough.minimise(x, 1e-7 * scale, |x, g| problem.inner(x, g));
        problem.inner(x, &mut g);
    }
    let mut gradient_norm = norm(&g);
    let (mut d, mut trial, mut trial_g) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut factored = None;
    let mut stale = true;
    for iterations in 0..100 {
        let end = |reason| Report { iterations, gradient_norm, reason };
        if !gradient_norm.is_finite() {
            return (end(TerminationReason::Breakdown), factored);
        }
        problem.linearise(x);
        let fresh = stale;
        if stale {
            factored = factor(problem, n);
        }
        d.fill(0.0);
        solve_exactly(problem, factored.as_ref(), &g, &mut d);
        // −d is a descent direction of ‖∇₁h‖², so halving the step must succeed until rounding dominates.
        let mut step = 1.0;
        let fell = loop {
            add_scaled(x, -step, &d, &mut trial);
            problem.inner(&trial, &mut trial_g);
            if norm(&trial_g) < gradient_norm {
                break true;
            }
            step *= 0.5;
            if step < 1e-3 || step * max_abs(&d) <= 1e-13 * max_abs(x) {
                break false;
            }
        };
        if !fell && fresh {
            return (end(TerminationReason::Converged), factored);
        }
        // A factor from an earlier point is kept while it reduces the gradient quickly; at the limit of the
        // arithmetic a new one would not help either.
        let limit = gradient_norm <= 1e-14 * scale;
        if !fell && limit {
            return (end(TerminationReason::Converged), factored);
        }
        let quick = fell && norm(&trial_g) < 0.1 * gradient_norm;
        stale = !quick && !limit;
        if fell {
            x.copy_from_slice(&trial);
            g.copy_from_slice(&trial_g);
            gradient_norm = norm(&g);
        }
    }
    let reason = TerminationReason::MaxIterations;
    (Report { iterations: 100, gradient_norm, reason }, factored)
}

/// f(λ) and ∇f(λ) to the limit of the arithmetic.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// X(λ), length p.
    pub x: Vec<f64>,
    /// h(X(λ), λ).
    pub inner: f64,
    /// f(λ) = g(X(λ), λ).
    pub outer: f64,
    /// ∇f(λ), length s.
    pub hypergradient: Vec<f64>,
    /// How the inner solve ended.
    pub report: Report,
}

/// Moves to λ and computes X(λ), f(λ) and ∇f(λ) to the limit of the arithmetic, from the initial guess `x`.
pub fn exact(problem: &mut dyn Bilevel, lambda: &[f64], mut x: Vec<f64>) -> Exact {
    problem.set_lambda(lambda);
    let (report, factored) = newton(problem, &mut x);
    let mut g = vec![0.0; x.len()];
    let inner = problem.inner(&x, &mut g);
    let outer = problem.outer(&x, &mut g);
    problem.linearise(&x);
    let mut q = vec![0.0; x.len()];
    solve_exactly(problem, factored.as_ref(), &g, &mut q);
    let hypergradient = hypergradient(problem, &x, &q);
    Exact { x, inner, outer, hypergradient, report }
}
