//! Lasso on parity columns by coordinate descent, stopped by the duality gap.
//!
//! P(w, b) = ‖y − Aw − b‖² / (2n) + α ‖w‖₁ with an intercept b that is not penalised: y and the
//! columns are centred. \[Hazan2018\] eq. (2) is a sum of squares with λ ‖w‖₁, so λ = 2nα.
//!
//! Coordinate descent runs over a working set whose Gram matrix comes from popcounts, exact up to its
//! centring. The set grows by the columns that violate |aᵀr| ≤ nα. For fixed signs of the coefficients the
//! optimum has a closed form, towards which the iterate moves as far as the signs hold.

use ndarray::{Array1, Array2};
use numerics::{
    linalg::{
        cholesky::Cholesky,
        vector::{axpy, dot},
    },
    solve::stop::TerminationReason,
};

use super::parity::{Design, differences, minuses};

/// Number of steps from one support to the next before columns outside are checked again.
const STEPS: usize = 64;

/// An invalid problem or setting.
#[derive(Debug, thiserror::Error, Clone, PartialEq)]
pub enum LassoError {
    /// At this tolerance the gap cannot be distinguished from rounding.
    #[error("tolerance is {0}: expected a number from 1e-14 to 1")]
    Tolerance(f64),
    /// α is not a finite positive number.
    #[error("alpha is {0}: expected a finite positive number")]
    Alpha(f64),
    /// The targets are not finite, or not one a sample.
    #[error("{got} targets for {rows} samples: expected one finite number each, and a sample")]
    Targets {
        /// Number of targets.
        got: usize,
        /// Number of samples.
        rows: usize,
    },
}

/// A solver whose settings have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lasso {
    tolerance: f64,
    sweeps: usize,
}

/// A solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Its α.
    pub alpha: f64,
    /// b.
    pub intercept: f64,
    /// Columns whose coefficient is not 0, ascending, with their coefficients.
    pub coefficients: Vec<(usize, f64)>,
    /// P at the solution.
    pub objective: f64,
    /// Upper bound of the excess of P over its minimum: the duality gap.
    pub gap: f64,
    /// aᵀr / n of every column at the solution, with the residual r (length columns).
    pub correlations: Vec<f64>,
    /// Sweeps of coordinate descent since the previous solution of the path.
    pub sweeps: usize,
    /// Whether the gap fell below the tolerance.
    pub termination: TerminationReason,
}

impl Lasso {
    /// Stops at a gap of `tolerance` times P at w = 0, or after `sweeps` at one α.
    ///
    /// # Errors
    /// If the tolerance is not between 1e-14 and 1.
    pub fn new(tolerance: f64, sweeps: usize) -> Result<Self, LassoError> {
        if !(1e-14..=1.0).contains(&tolerance) {
            return Err(LassoError::Tolerance(tolerance));
        }
        Ok(Self { tolerance, sweeps })
    }

    /// The solution at one α.
    ///
    /// # Errors
    /// If α is not positive, or the targets are not one finite number per sample.
    pub fn fit(&self, design: &Design, y: &[f64], alpha: f64) -> Result<Fit, LassoError> {
        let mut path = self.path(design, y, &[alpha])?;
        path.pop().ok_or(LassoError::Alpha(alpha))
    }

    /// The solutions at every α, each started from the one before; descending order is quickest.
    ///
    /// # Errors
    /// As [`Lasso::fit`].
    pub fn path(&self, design: &Design, y: &[f64], alphas: &[f64]) -> Result<Vec<Fit>, LassoError> {
        check(design, y)?;
        if let Some(bad) = alphas.iter().find(|a| !(a.is_finite() && **a > 0.0)) {
            return Err(LassoError::Alpha(*bad));
        }
        let mut working = Working::new(design, y);
        Ok(alphas.iter().map(|&alpha| working.solve(self, alpha)).collect())
    }
}

fn check(design: &Design, y: &[f64]) -> Result<(), LassoError> {
    let (got, rows) = (y.len(), design.rows());
    if got != rows || rows == 0 || !y.iter().all(|v| v.is_finite()) {
        return Err(LassoError::Targets { got, rows });
    }
    Ok(())
}

/// The smallest α at which no column but the intercept is in the solution.
///
/// # Errors
/// If the targets are not one finite number per sample.
pub fn largest_alpha(design: &Design, y: &[f64]) -> Result<f64, LassoError> {
    check(design, y)?;
    let products = design.products(&centred(y));
    let largest = products.iter().skip(1).fold(0.0_f64, |m, p| m.max(p.abs()));
    Ok(largest / y.len() as f64)
}

/// A path: `count` values in equal ratios from below `largest` down to `alpha`.
pub fn falling(largest: f64, alpha: f64, count: usize) -> Vec<f64> {
    let ratio = (alpha / largest).min(1.0);
    let at = |i: usize| {
        if i == count { alpha } else { largest * ratio.powf(i as f64 / count as f64) }
    };
    (1..=count).map(at).collect()
}

fn centred(y: &[f64]) -> Vec<f64> {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    y.iter().map(|v| v - mean).collect()
}

/// The columns of the working set, with their Gram matrix G, Aᵀy, w and q = Aᵀ(y − Aw), all centred.
struct Working<'a> {
    design: &'a Design,
    mean: f64,
    y: Vec<f64>,
    square: f64,
    columns: Vec<usize>,
    bits: Vec<Vec<u64>>,
    sums: Vec<f64>,
    gram: Vec<Vec<f64>>,
    targets: Vec<f64>,
    w: Vec<f64>,
    q: Vec<f64>,
}

impl<'a> Working<'a> {
    fn new(design: &'a Design, y: &[f64]) -> Self {
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let y = centred(y);
        let square = dot(&y, &y);
        let (columns, bits, sums, gram) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (targets, w, q) = (Vec::new(), Vec::new(), Vec::new());
        Self { design, mean, y, square, columns, bits, sums, gram, targets, w, q }
    }

    fn rows(&self) -> f64 {
        self.y.len() as f64
    }

    /// Adds a column at w = 0; `product` is its aᵀr.
    fn add(&mut self, column: usize, product: f64) {
        let n = self.rows();
        let bits = self.design.column(column);
        let sum = n - 2.0 * f64::from(minuses(&bits));
        let with = |(other, s): (&Vec<u64>, &f64)| {
            n - 2.0 * f64::from(differences(&bits, other)) - sum * s / n
        };
        let mut row: Vec<f64> = self.bits.iter().zip(&self.sums).map(with).collect();
        self.gram.iter_mut().zip(&row).for_each(|(r, g)| r.push(*g));
        self.targets.push(product + dot(&row, &self.w));
        row.push(n - sum * sum / n);
        self.gram.push(row);
        self.columns.push(column);
        self.bits.push(bits);
        self.sums.push(sum);
        self.w.push(0.0);
        self.q.push(product);
    }

    /// y − Aw, centred (length n).
    fn residual(&self) -> Vec<f64> {
        let mut r = self.y.clone();
        for (bits, &w) in self.bits.iter().zip(&self.w).filter(|(_, w)| **w != 0.0) {
            for (i, r) in r.iter_mut().enumerate() {
                *r -= if bits[i / 64] >> (i % 64) & 1 == 1 { -w } else { w };
            }
        }
        centred(&r)
    }

    fn refresh(&mut self) {
        self.q.copy_from_slice(&self.targets);
        for (row, &w) in self.gram.iter().zip(&self.w).filter(|(_, w)| **w != 0.0) {
            axpy(-w, row, &mut self.q);
        }
    }

    /// P and the duality gap, from ‖r‖², rᵀy and the largest |aᵀr|: the dual point is the residual scaled
    /// into the feasible set.
    fn gap(&self, alpha: f64, square: f64, with_y: f64, largest: f64) -> (f64, f64) {
        let (n, norm) = (self.rows(), self.w.iter().map(|w| w.abs()).sum::<f64>());
        let scale = if largest > n * alpha { n * alpha / largest } else { 1.0 };
        let primal = square / (2.0 * n) + alpha * norm;
        (primal, primal - (scale * with_y - 0.5 * scale * scale * square) / n)
    }

    /// P and the gap of the problem with these columns only.
    fn own(&self, alpha: f64) -> (f64, f64) {
        let explained = dot(&self.w, &self.targets);
        let square = self.square - explained - dot(&self.w, &self.q);
        let largest = self.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        self.gap(alpha, square, self.square - explained, largest)
    }

    fn sweep(&mut self, alpha: f64) {
        let threshold = self.rows() * alpha;
        for k in 0..self.w.len() {
            let norm = self.gram[k][k];
            // A column that is constant on the samples is left out.
            if norm <= 0.0 {
                continue;
            }
            let z = self.q[k] + norm * self.w[k];
            let new = z.signum() * (z.abs() - threshold).max(0.0) / norm;
            let step = new - self.w[k];
            if step != 0.0 {
                self.w[k] = new;
                axpy(-step, &self.gram[k], &mut self.q);
            }
        }
    }

    /// Moves from support to support: towards the optimum for the current support and signs, which has a
    /// closed form, as far as the signs hold. Coefficients that reach 0 are dropped; at the optimum the worst
    /// violator of the working set is added. P decreases with each step.
    fn descend(&mut self, alpha: f64) {
        let (before, objective) = (self.w.clone(), self.own(alpha).0);
        let threshold = self.rows() * alpha;
        for _ in 0..STEPS {
            let support: Vec<usize> = (0..self.w.len()).filter(|&k| self.w[k] != 0.0).collect();
            if !support.is_empty() {
                let Some(blocked) = self.leap(&support, threshold) else { break };
                if blocked {
                    continue;
                }
            }
            let outside = (0..self.w.len()).filter(|&k| self.w[k] == 0.0 && self.gram[k][k] > 0.0);
            let worst = outside.max_by(|&a, &b| self.q[a].abs().total_cmp(&self.q[b].abs()));
            let Some(k) = worst.filter(|&k| self.q[k].abs() > threshold) else { break };
            let excess = self.q[k] - threshold * self.q[k].signum();
            self.w[k] = excess / self.gram[k][k];
            self.refresh();
        }
        // Both differences may be mere rounding; the closed form is then the better one.
        if self.own(alpha).0 > objective + 1e-14 * self.square / self.rows() {
            self.w = before;
            self.refresh();
        }
    }

    /// A Newton step on the support, shortened to where a sign would change; returns whether it was
    /// shortened, `None` if no step is possible. With more columns than samples the Gram matrix is singular:
    /// a small multiple of the identity turns the step towards a lower ‖w‖₁ with the same fit.
    fn leap(&mut self, support: &[usize], threshold: f64) -> Option<bool> {
        let ridge = if support.len() < self.y.len() { 0.0 } else { 1e-9 * self.rows() };
        // The lower triangle, row by row: an index pair at a time takes as long as factoring it.
        let mut gram = Array2::zeros((support.len(), support.len()));
        for (i, (mut row, &k)) in gram.rows_mut().into_iter().zip(support).enumerate() {
            for (value, &l) in row.iter_mut().zip(&support[..=i]) {
                *value = self.gram[k][l];
            }
            row[i] += ridge;
        }
        let slope = support.iter().map(|&k| self.q[k] - threshold * self.w[k].signum());
        let factor = Cholesky::of(gram).ok()?;
        let step = factor.solve(slope.collect::<Array1<f64>>().view());
        if !step.iter().all(|s| s.is_finite()) {
            return None;
        }
        let (mut reach, mut first) = (1.0, None);
        for (&k, s) in support.iter().zip(&step) {
            let zero = -self.w[k] / s;
            if zero >= 0.0 && zero < reach {
                (reach, first) = (zero, Some(k));
            }
        }
        support.iter().zip(&step).for_each(|(&k, s)| self.w[k] += reach * s);
        if let Some(k) = first {
            self.w[k] = 0.0;
        }
        self.refresh();
        Some(first.is_some())
    }

    fn solve(&mut self, lasso: &Lasso, alpha: f64) -> Fit {
        let n = self.rows();
        let enough = lasso.tolerance * self.square / (2.0 * n);
        let (mut inner, mut sweeps) = (0.3 * enough, 0);
        loop {
            let r = self.residual();
            let mut products = self.design.products(&r);
            // The centred constant is 0.
            products[0] = 0.0;
            let largest = products.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
            let (objective, gap) = self.gap(alpha, dot(&r, &r), dot(&r, &self.y), largest);
            if gap <= enough || sweeps >= lasso.sweeps {
                let termination = if gap <= enough {
                    TerminationReason::Converged
                } else {
                    TerminationReason::MaxIterations
                };
                let mean = dot(&self.w, &self.sums) / n;
                let support = self.columns.iter().copied().zip(self.w.iter().copied());
                let mut coefficients: Vec<_> = support.filter(|(_, w)| *w != 0.0).collect();
                coefficients.sort_unstable_by_key(|(column, _)| *column);
                for p in &mut products {
                    *p /= n;
                }
                let (intercept, correlations) = (self.mean - mean, products);
                return Fit {
                    alpha,
                    intercept,
                    coefficients,
                    objective,
                    gap,
                    correlations,
                    sweeps,
                    termination,
                };
            }
            if !self.grow(&products, n * alpha) {
                inner *= 0.1;
            }
            // The gap is only checked occasionally: it costs as much as the updates of a sweep. If α is
            // small, sweeps alone would converge slowly.
            for round in 1.. {
                (0..5).for_each(|_| self.sweep(alpha));
                sweeps += 5;
                self.refresh();
                if round % 8 == 0 {
                    self.descend(alpha);
                }
                if self.own(alpha).1 <= inner || sweeps >= lasso.sweeps {
                    break;
                }
            }
            self.descend(alpha);
        }
    }

    /// Adds the worst violators of |aᵀr| ≤ `threshold`, at most as many as there are columns; returns whether
    /// there was any.
    fn grow(&mut self, products: &[f64], threshold: f64) -> bool {
        let inside: std::collections::BTreeSet<usize> = self.columns.iter().copied().collect();
        let violates = |(c, p): &(usize, &f64)| p.abs() > threshold && !inside.contains(c);
        let mut new: Vec<(usize, f64)> =
            products.iter().enumerate().filter(violates).map(|(c, p)| (c, *p)).collect();
        new.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        new.truncate(self.columns.len().max(64));
        for &(column, product) in &new {
            self.add(column, product);
        }
        !new.is_empty()
    }
}

#[cfg(test)]
#[path = "lasso_tests.rs"]
mod tests;
