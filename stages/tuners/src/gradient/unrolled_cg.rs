//! The hypergradient through conjugate gradients: the loss at the end of T iterations is differentiated exactly, by
//! reversing them \[Domke2012\].

use numerics::{
    linalg::vector::{axpy, dot, xpby},
    problem::Bilevel,
};

use super::unrolled::{CONVERGED, Path, Unrolled};

/// One iteration: the direction p, its product w = Ap, and the scalars α = ρ/pᵀw, pᵀw, ρ = ‖r‖².
struct Iteration {
    p: Vec<f64>,
    w: Vec<f64>,
    alpha: f64,
    curvature: f64,
    rho: f64,
}

/// Solves the quadratic inner problem Ax = b at the current λ from the origin by at most `steps` iterations, and
/// differentiates `g(x_T)` with respect to λ through them.
///
/// For k = T − 1 … 0, with an adjoint for every variable of an iteration: p ← r + βp gives r̄, β̄ and p̄; β = ρ'/ρ gives
/// ρ̄' and ρ̄; r' = r − αw and x' = x + αp give ᾱ, w̄ and p̄; α = ρ/pᵀw gives the adjoint of pᵀw; and w = Ap gives
/// `p̄ += Aw̄` and `λ̄ += w̄ᵀ(∂A/∂λ)p`.
pub(super) fn conjugate_gradients(
    problem: &mut dyn Bilevel,
    steps: usize,
    x: &mut [f64],
) -> Unrolled {
    let n = x.len();
    let origin = vec![0.0; n];
    x.fill(0.0);
    problem.linearise(&origin);
    let mut r = vec![0.0; n];
    problem.inner(&origin, &mut r);
    for t in &mut r {
        *t = -*t;
    }
    let (mut rho, mut p) = (dot(&r, &r), r.clone());
    let enough = CONVERGED * CONVERGED * rho;
    let mut path: Vec<Iteration> = Vec::new();
    while path.len() < steps && rho > enough {
        let mut w = vec![0.0; n];
        problem.hessian_product(&p, &mut w);
        let curvature = dot(&p, &w);
        let alpha = rho / curvature;
        axpy(alpha, &p, x);
        axpy(-alpha, &w, &mut r);
        let next = dot(&r, &r);
        let direction = p.clone();
        xpby(&r, next / rho, &mut p);
        path.push(Iteration { p: direction, w, alpha, curvature, rho });
        rho = next;
    }

    let mut x_bar = vec![0.0; n];
    let value = problem.outer(x, &mut x_bar);
    let mut hypergradient = vec![0.0; problem.n_hyper()];
    problem.outer_hyper_gradient(x, &mut hypergradient);
    // uᵀ(∂A/∂λ)v is the cross derivative at v less that at the origin, where it is of −b alone; the latter is
    // linear in u, and is taken once for the sum of them all.
    let (mut cross, mut total) = (hypergradient.clone(), vec![0.0; n]);
    let (mut r_bar, mut p_bar, mut w_bar) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut product = vec![0.0; n];
    // ρ of the next iteration, and its adjoint.
    let (mut rho_next, mut rho_bar) = (rho, 0.0);
    for own in path.iter().rev() {
        // r is now that at the end of the iteration, p̄ that of the next direction.
        axpy(1.0, &p_bar, &mut r_bar);
        let beta = rho_next / own.rho;
        let beta_bar = dot(&p_bar, &own.p);
        for t in &mut p_bar {
            *t *= beta;
        }
        rho_bar += beta_bar / own.rho;
        let mut own_rho_bar = -beta_bar * beta / own.rho;
        axpy(2.0 * rho_bar, &r, &mut r_bar);
        let alpha_bar = dot(&x_bar, &own.p) - dot(&r_bar, &own.w);
        axpy(own.alpha, &x_bar, &mut p_bar);
        own_rho_bar += alpha_bar / own.curvature;
        let curvature_bar = -alpha_bar * own.alpha / own.curvature;
        for ((w, r), p) in w_bar.iter_mut().zip(&r_bar).zip(&own.p) {
            *w = -own.alpha * r + curvature_bar * p;
        }
        axpy(curvature_bar, &own.w, &mut p_bar);
        problem.hessian_product(&w_bar, &mut product);
        axpy(1.0, &product, &mut p_bar);
        problem.cross_product(&own.p, &w_bar, &mut cross);
        axpy(1.0, &cross, &mut hypergradient);
        axpy(1.0, &w_bar, &mut total);
        axpy(own.alpha, &own.w, &mut r);
        (rho_next, rho_bar) = (own.rho, own_rho_bar);
    }
    // ρ₀ = ‖r₀‖², p₀ = r₀ and r₀ = −∇₁h(0).
    axpy(1.0, &p_bar, &mut r_bar);
    axpy(2.0 * rho_bar, &r, &mut r_bar);
    axpy(1.0, &r_bar, &mut total);
    problem.cross_product(&origin, &total, &mut cross);
    axpy(-1.0, &cross, &mut hypergradient);
    Unrolled { value, hypergradient, iterations: path.len(), path: Path::default() }
}
