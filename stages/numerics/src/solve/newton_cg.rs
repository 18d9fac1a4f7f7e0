//! Newton's method for smooth inner problems with too many parameters to factor their Hessian: the step is
//! computed by conjugate gradients (\[Nocedal2006\] algorithm 7.1).

use super::cg;
use super::inner::Report;
use super::stop::TerminationReason;
use crate::linalg::vector::{add_scaled, dot, norm};
use crate::problem::Bilevel;

/// A step is accepted if h falls by this share of what the gradient promises.
const ARMIJO: f64 = 1e-4;
/// A step is halved at most this often.
const HALVINGS: usize = 30;

/// Minimises h(·, λ) from `x` until ‖∇₁h‖₂ ≤ `tolerance`, with at most `max_products` iterations of conjugate
/// gradients in all.
///
/// `scale` is the gradient norm of a bad guess, such as the origin: the smaller the gradient is beside it, the
/// more exactly the step is computed, so that convergence is superlinear. From a neighbour's solution two or three
/// steps are enough.
pub fn minimise(
    problem: &mut dyn Bilevel,
    x: &mut [f64],
    (tolerance, scale): (f64, f64),
    max_products: usize,
) -> Report {
    let n = x.len();
    let (mut g, mut d, mut trial, mut trial_g) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = problem.inner(x, &mut g);
    let mut iterations = 0;
    loop {
        let gradient_norm = norm(&g);
        let end = |reason| Report { iterations, gradient_norm, reason };
        if !(value.is_finite() && gradient_norm.is_finite()) {
            return end(TerminationReason::Breakdown);
        }
        if gradient_norm <= tolerance {
            return end(TerminationReason::Converged);
        }
        if iterations >= max_products {
            return end(TerminationReason::MaxIterations);
        }
        problem.linearise(x);
        d.fill(0.0);
        // No more exactly than the last step needs: a third of the tolerance leaves room for the change of curvature.
        let share = (gradient_norm / scale).sqrt().min(0.5);
        let target = (share * gradient_norm).max(tolerance / 3.0);
        let solved = cg::solve(&mut d, &g, target, max_products - iterations, |v, out| {
            problem.hessian_product(v, out);
        });
        iterations += solved.iterations;
        let slope = dot(&g, &d);
        let mut step = 1.0;
        let mut halvings = 0;
        let fell = loop {
            add_scaled(x, -step, &d, &mut trial);
            let trial_value = problem.inner(&trial, &mut trial_g);
            // Near the minimum h no longer tells, since its differences are rounding errors; the gradient does.
            let falls = trial_value <= value - ARMIJO * step * slope;
            if falls || norm(&trial_g) < 0.5 * gradient_norm {
                value = trial_value;
                break true;
            }
            if halvings == HALVINGS {
                break false;
            }
            step *= 0.5;
            halvings += 1;
        };
        if !fell {
            let reason = TerminationReason::LineSearchStalled;
            return Report { iterations, gradient_norm, reason };
        }
        x.copy_from_slice(&trial);
        std::mem::swap(&mut g, &mut trial_g);
    }
}
