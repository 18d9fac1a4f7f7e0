//! Conjugate gradients for a symmetric positive definite operator.

use super::stop::TerminationReason;
use crate::linalg::vector::{axpy, dot, xpby};

/// How a linear solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Iterations (one operator product each, plus one for the first residual).
    pub iterations: usize,
    /// ‖b − Ax‖₂ by the recurrence.
    pub residual: f64,
    /// Why it stopped.
    pub reason: TerminationReason,
}

/// Solves A x = b from the initial guess in `x` until ‖b − Ax‖₂ ≤ `tolerance` (absolute).
///
/// `operator(v, out)` writes A v; an initial guess of 0 saves one product. A direction of curvature ≤ 0 or
/// NaN ends as [`TerminationReason::Breakdown`] with the best x so far.
pub fn solve(
    x: &mut [f64],
    b: &[f64],
    tolerance: f64,
    max_iterations: usize,
    mut operator: impl FnMut(&[f64], &mut [f64]),
) -> Report {
    let n = x.len();
    let mut product = vec![0.0; n];
    if x.iter().any(|v| *v != 0.0) {
        operator(x, &mut product);
    }
    let mut r: Vec<f64> = b.iter().zip(&product).map(|(p, q)| p - q).collect();
    let mut d = r.clone();
    let mut rr = dot(&r, &r);
    let mut iterations = 0;
    loop {
        let residual = rr.sqrt();
        let end = |reason| Report { iterations, residual, reason };
        if residual <= tolerance {
            return end(TerminationReason::Converged);
        }
        if iterations == max_iterations {
            return end(TerminationReason::MaxIterations);
        }
        operator(&d, &mut product);
        let curvature = dot(&d, &product);
        if !(curvature > 0.0 && curvature.is_finite() && rr.is_finite()) {
            return end(TerminationReason::Breakdown);
        }
        let alpha = rr / curvature;
        axpy(alpha, &d, x);
        axpy(-alpha, &product, &mut r);
        let next = dot(&r, &r);
        xpby(&r, next / rr, &mut d);
        rr = next;
        iterations += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2};

    fn matrix(n: usize) -> Array2<f64> {
        let m = Array2::from_shape_fn((n, n), |(i, j)| ((i * 7 + j * 3) as f64).sin());
        m.t().dot(&m) + Array2::<f64>::eye(n)
    }

    fn apply(a: &Array2<f64>) -> impl Fn(&[f64], &mut [f64]) + '_ {
        |v, out| out.copy_from_slice(a.dot(&Array1::from(v.to_vec())).as_slice().unwrap())
    }

    #[test]
    fn solves_and_warm_starts() {
        let a = matrix(30);
        let truth: Vec<f64> = (0..30).map(|i| f64::from(i).cos()).collect();
        let mut b = vec![0.0; 30];
        apply(&a)(&truth, &mut b);
        let mut x = vec![0.0; 30];
        let report = solve(&mut x, &b, 1e-11, 200, apply(&a));
        assert_eq!(report.reason, TerminationReason::Converged);
        assert!(x.iter().zip(&truth).all(|(p, q)| (p - q).abs() < 1e-10));
        assert_eq!(solve(&mut x, &b, 1e-9, 200, apply(&a)).iterations, 0);
    }

    #[test]
    fn reports_the_limit_and_indefinite_operators() {
        let a = matrix(30);
        let b = vec![1.0; 30];
        let report = solve(&mut vec![0.0; 30], &b, 1e-14, 2, apply(&a));
        assert_eq!((report.iterations, report.reason), (2, TerminationReason::MaxIterations));
        let report = solve(&mut vec![0.0; 30], &b, 1e-14, 9, apply(&-a));
        assert_eq!(report.reason, TerminationReason::Breakdown);
        let nan = |_: &[f64], out: &mut [f64]| out.fill(f64::NAN);
        let report = solve(&mut [0.0; 3], &[1.0; 3], 1e-14, 9, nan);
        assert_eq!(report.reason, TerminationReason::Breakdown);
    }
}
