//! Limited-memory BFGS \[Liu1989\] for smooth functions.

use super::line_search::{Sample, Wolfe};
use super::stop::TerminationReason;
use crate::linalg::vector::{add_scaled, axpy, dot, norm, subtract};

/// Settings of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lbfgs {
    /// Number of correction pairs kept.
    pub memory: usize,
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Settings of the line search.
    pub wolfe: Wolfe,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Self { memory: 10, max_iterations: 100, wolfe: Wolfe::default() }
    }
}

/// How a minimisation ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Iterations (accepted steps).
    pub iterations: usize,
    /// Value at the returned point.
    pub value: f64,
    /// ‖∇‖₂ at the returned point.
    pub gradient_norm: f64,
    /// Why it stopped.
    pub reason: TerminationReason,
}

/// The last correction pairs s = Δx, y = Δ∇, oldest first, in a ring buffer.
#[derive(Debug)]
struct Pairs {
    s: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    rho: Vec<f64>,
    /// Storage position of the oldest pair.
    oldest: usize,
    memory: usize,
}

impl Pairs {
    fn new(memory: usize) -> Self {
        let memory = memory.max(1);
        Self { s: vec![], y: vec![], rho: vec![], oldest: 0, memory }
    }

    /// Adds a pair unless its curvature is too small to be trusted.
    fn push(&mut self, x: &[f64], x_old: &[f64], g: &[f64], g_old: &[f64]) {
        let at = if self.s.len() < self.memory { self.s.len() } else { self.oldest };
        if at == self.s.len() {
            self.s.push(vec![0.0; x.len()]);
            self.y.push(vec![0.0; x.len()]);
            self.rho.push(0.0);
        } else {
            self.oldest = (self.oldest + 1) % self.memory;
        }
        subtract(x, x_old, &mut self.s[at]);
        subtract(g, g_old, &mut self.y[at]);
        let sy = dot(&self.s[at], &self.y[at]);
        let yy = dot(&self.y[at], &self.y[at]);
        // A pair without positive curvature is kept with weight zero: it then changes nothing.
        self.rho[at] = if sy > 2.2e-16 * yy { 1.0 / sy } else { 0.0 };
    }

    /// d ← −H g by the two-loop recursion, \[Nocedal2006\] algorithm 7.4.
    fn direction(&self, g: &[f64], d: &mut [f64]) {
        for (t, v) in d.iter_mut().zip(g) {
            *t = -v;
        }
        let n = self.s.len();
        let order: Vec<usize> = (0..n).map(|i| (self.oldest + i) % n.max(1)).collect();
        let mut alphas = vec![0.0; n];
        for &i in order.iter().rev() {
            alphas[i] = self.rho[i] * dot(&self.s[i], d);
            axpy(-alphas[i], &self.y[i], d);
        }
        if let Some(&i) = order.iter().rev().find(|&&i| self.rho[i] > 0.0) {
            let scale = 1.0 / (self.rho[i] * dot(&self.y[i], &self.y[i]));
            for t in d.iter_mut() {
                *t *= scale;
            }
        }
        for &i in &order {
            let beta = self.rho[i] * dot(&self.y[i], d);
            axpy(alphas[i] - beta, &self.s[i], d);
        }
    }

    fn clear(&mut self) {
        self.s.clear();
        self.y.clear();
        self.rho.clear();
        self.oldest = 0;
    }

    fn is_empty(&self) -> bool {
        self.s.is_empty()
    }
}

impl Lbfgs {
    /// Minimises from `x`, which is left at the best point reached.
    ///
    /// `objective(x, gradient)` returns the value; iteration stops once ‖∇‖₂ ≤ `tolerance`. An initial point
    /// that is not finite ends as [`TerminationReason::Breakdown`].
    pub fn minimise(
        &self,
        x: &mut [f64],
        tolerance: f64,
        mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Report {
        let n = x.len();
        let mut g = vec![0.0; n];
        let mut value = objective(x, &mut g);
        let mut pairs = Pairs::new(self.memory);
        let mut d = vec![0.0; n];
        let (mut x_old, mut g_old) = (vec![0.0; n], vec![0.0; n]);
        let mut iterations = 0;
        loop {
            let gradient_norm = norm(&g);
            let end = |reason| Report { iterations, value, gradient_norm, reason };
            if !(value.is_finite() && gradient_norm.is_finite()) {
                return end(TerminationReason::Breakdown);
            }
            if gradient_norm <= tolerance {
                return end(TerminationReason::Converged);
            }
            if iterations >= self.max_iterations {
                return end(TerminationReason::MaxIterations);
            }
            pairs.direction(&g, &mut d);
            let slope = dot(&g, &d);
            let descends = slope < 0.0;
            if !descends {
                if pairs.is_empty() {
                    return end(TerminationReason::Breakdown);
                }
                pairs.clear();
                continue;
            }
            let first = if pairs.is_empty() { (1.0 / gradient_norm).min(1.0) } else { 1.0 };
            x_old.copy_from_slice(x);
            g_old.copy_from_slice(&g);
            let start = Sample { t: 0.0, value, slope };
            let found = self.wolfe.search(start, first, |t| {
                add_scaled(&x_old, t, &d, x);
                let value = objective(x, &mut g);
                Sample { t, value, slope: dot(&g, &d) }
            });
            if let Some(sample) = found {
                value = sample.value;
                pairs.push(x, &x_old, &g, &g_old);
                iterations += 1;
            } else {
                x.copy_from_slice(&x_old);
                g.copy_from_slice(&g_old);
                if pairs.is_empty() {
                    return end(TerminationReason::LineSearchStalled);
                }
                pairs.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's function in n dimensions; minimum 0 at (1, …, 1).
    fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
        g.fill(0.0);
        let mut f = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            f += a * a + 100.0 * b * b;
            g[i] += -2.0 * a - 400.0 * x[i] * b;
            g[i + 1] += 200.0 * b;
        }
        f
    }

    #[test]
    fn reaches_the_known_minimum_of_rosenbrock() {
        let mut x = vec![-1.2; 8];
        let solver = Lbfgs { max_iterations: 500, ..Lbfgs::default() };
        let report = solver.minimise(&mut x, 1e-10, rosenbrock);
        assert_eq!(report.reason, TerminationReason::Converged, "{report:?}");
        assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-9), "{x:?}");
    }

    #[test]
    fn stops_with_the_reason_as_data() {
        let mut x = vec![-1.2; 4];
        let few = Lbfgs { max_iterations: 3, ..Lbfgs::default() };
        assert_eq!(
            few.minimise(&mut x, 1e-10, rosenbrock).reason,
            TerminationReason::MaxIterations
        );
        let nan = |_: &[f64], g: &mut [f64]| {
            g.fill(f64::NAN);
            f64::NAN
        };
        let mut x = vec![0.0; 4];
        assert_eq!(
            Lbfgs::default().minimise(&mut x, 1e-10, nan).reason,
            TerminationReason::Breakdown
        );
        let mut x = vec![1.0; 4];
        assert_eq!(Lbfgs::default().minimise(&mut x, 1e-10, rosenbrock).iterations, 0);
    }

    #[test]
    fn an_unreachable_tolerance_ends_at_the_limit_of_the_arithmetic() {
        let mut x = vec![3.0, -2.0];
        let quadratic = |x: &[f64], g: &mut [f64]| {
            g[0] = x[0] - 1.0 / 3.0;
            g[1] = 10.0 * (x[1] - 1.0 / 7.0);
            0.5 * g[0] * g[0] + 0.05 * g[1] * g[1]
        };
        Lbfgs::default().minimise(&mut x, 0.0, quadratic);
        assert!((x[0] - 1.0 / 3.0).abs() < 1e-12 && (x[1] - 1.0 / 7.0).abs() < 1e-12);
    }
}
