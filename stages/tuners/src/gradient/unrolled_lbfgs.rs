//! The hypergradient through L-BFGS: the loss at the end of T iterations is differentiated by reversing them. What an
//! iteration multiplies the gradient by, its matrix and the length that its line search found, counts as constant, as
//! is usual for quasi-Newton iterations \[Griewank1993\]: derivatives then converge with the iterates, and need not
//! otherwise.

use numerics::{
    linalg::vector::{add_scaled, axpy, dot, norm, subtract},
    problem::Bilevel,
    solve::line_search::{Sample, Wolfe},
};

use super::unrolled::{CONVERGED, Iteration, Pair, Path, Unrolled};

/// Correction pairs that a direction is made of: as many as the inner solver of HOAG keeps.
const MEMORY: usize = 10;

/// d ← −Hg by the two-loop recursion over `pairs`, oldest first (\[Nocedal2006\] algorithm 7.4).
fn direction(pairs: &[Pair], g: &[f64], d: &mut [f64]) {
    for (t, v) in d.iter_mut().zip(g) {
        *t = -v;
    }
    let mut first = vec![0.0; pairs.len()];
    for (pair, a) in pairs.iter().zip(&mut first).rev() {
        *a = pair.rho * dot(&pair.s, d);
        axpy(-*a, &pair.y, d);
    }
    if let Some(newest) = pairs.iter().rfind(|pair| pair.rho > 0.0) {
        let scale = 1.0 / (newest.rho * dot(&newest.y, &newest.y));
        d.iter_mut().for_each(|t| *t *= scale);
    }
    for (pair, a) in pairs.iter().zip(&first) {
        let b = pair.rho * dot(&pair.y, d);
        axpy(a - b, &pair.s, d);
    }
}

/// Minimises h(·, λ) at the current λ from the origin by at most `steps` iterations.
fn forward(problem: &mut dyn Bilevel, steps: usize, x: &mut [f64]) -> Path {
    let n = x.len();
    x.fill(0.0);
    let (mut g, mut d) = (vec![0.0; n], vec![0.0; n]);
    let mut value = problem.inner(x, &mut g);
    let enough = CONVERGED * norm(&g);
    let (mut x_old, mut g_old) = (vec![0.0; n], vec![0.0; n]);
    let (mut path, mut oldest) = (Path::default(), 0);
    while path.iterations.len() < steps && norm(&g) > enough {
        let end = path.pairs.len();
        let used = oldest.max(end.saturating_sub(MEMORY))..end;
        direction(&path.pairs[used.clone()], &g, &mut d);
        x_old.copy_from_slice(x);
        g_old.copy_from_slice(&g);
        let start = Sample { t: 0.0, value, slope: dot(&g, &d) };
        let first = if used.is_empty() { (1.0 / norm(&g)).min(1.0) } else { 1.0 };
        let descends = start.slope < 0.0;
        let search = || {
            Wolfe::default().search(start, first, |t| {
                add_scaled(&x_old, t, &d, x);
                let value = problem.inner(x, &mut g);
                Sample { t, value, slope: dot(&g, &d) }
            })
        };
        let Some(sample) = descends.then(search).flatten() else {
            x.copy_from_slice(&x_old);
            g.copy_from_slice(&g_old);
            if used.is_empty() {
                break;
            }
            // From here without memory, as the solver does.
            oldest = end;
            continue;
        };
        value = sample.value;
        let (mut s, mut y) = (vec![0.0; n], vec![0.0; n]);
        subtract(x, &x_old, &mut s);
        subtract(&g, &g_old, &mut y);
        let sy = dot(&s, &y);
        let rho = if sy > f64::EPSILON * dot(&y, &y) { 1.0 / sy } else { 0.0 };
        path.pairs.push(Pair { s, y, rho });
        path.iterations.push(Iteration { length: sample.t, used });
    }
    path
}

/// The end of the iterations of `path`, with the same matrices and lengths, at the current λ.
fn again(problem: &mut dyn Bilevel, path: &Path, x: &mut [f64]) {
    x.fill(0.0);
    let (mut g, mut d) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for Iteration { length, used } in &path.iterations {
        problem.inner(x, &mut g);
        direction(&path.pairs[used.clone()], &g, &mut d);
        axpy(*length, &d, x);
    }
}

/// Minimises h(·, λ) at the current λ from the origin by at most `steps` iterations, or goes a `path` again, and
/// differentiates `g(x_T)` with respect to λ through them.
///
/// For t = T − 1 … 0: `v = −αHx̄`, `λ̄ += (∇²₁₂h(x_t))ᵀv`, `x̄ += ∇²₁h(x_t)v`.
pub(super) fn lbfgs(
    problem: &mut dyn Bilevel,
    steps: usize,
    path: Option<&Path>,
    x: &mut [f64],
) -> Unrolled {
    let n = x.len();
    let path = if let Some(path) = path {
        again(problem, path, x);
        path.clone()
    } else {
        forward(problem, steps, x)
    };
    let mut back = vec![0.0; n];
    let value = problem.outer(x, &mut back);
    let mut hypergradient = vec![0.0; problem.n_hyper()];
    problem.outer_hyper_gradient(x, &mut hypergradient);
    let mut cross = hypergradient.clone();
    let (mut at, mut v, mut product) = (x.to_vec(), vec![0.0; n], vec![0.0; n]);
    for (Iteration { length, used }, own) in path.iterations.iter().zip(&path.pairs).rev() {
        axpy(-1.0, &own.s, &mut at);
        direction(&path.pairs[used.clone()], &back, &mut v);
        v.iter_mut().for_each(|t| *t *= length);
        problem.cross_product(&at, &v, &mut cross);
        axpy(1.0, &cross, &mut hypergradient);
        problem.linearise(&at);
        problem.hessian_product(&v, &mut product);
        axpy(1.0, &product, &mut back);
    }
    Unrolled { value, hypergradient, iterations: path.iterations.len(), path }
}
