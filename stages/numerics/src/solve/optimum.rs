//! The minimum of f(λ) computed offline from exact values and hypergradients.

use super::inner;
use crate::{
    problem::Bilevel,
    solve::projected_bfgs::{self, Minimum},
    space::Bounds,
};

/// Number of points of the one-dimensional scan.
const SCAN: usize = 49;

/// f on `SCAN` equally spaced values of λ in `[low, high]` (one hyper-parameter), each solved from the X(λ)
/// of its neighbour.
pub fn scan(problem: &mut dyn Bilevel, lambdas: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; lambdas.len()];
    // From strong to weak regularisation, so that each starting point is near and the problem well
    // conditioned.
    let mut x = vec![0.0; problem.n_params()];
    for (value, &lambda) in values.iter_mut().zip(lambdas).rev() {
        let at = inner::exact(problem, &[lambda], x);
        *value = at.outer;
        x = at.x;
    }
    values
}

/// Number of points lower than their neighbours; the two ends have one neighbour each.
pub fn count_local_minima(values: &[f64]) -> usize {
    let n = values.len();
    let below =
        |i: usize, j: Option<usize>| j.and_then(|j| values.get(j)).is_none_or(|v| values[i] < *v);
    (0..n).filter(|&i| below(i, i.checked_sub(1)) && below(i, Some(i + 1))).count()
}

/// λ* of a problem with one hyper-parameter: the lowest point of a scan, then the root of the
/// hypergradient to the limit of the arithmetic.
pub fn minimum_1d(problem: &mut dyn Bilevel, low: f64, high: f64) -> Minimum {
    let lambdas: Vec<f64> =
        (0..SCAN).map(|i| low + (high - low) * i as f64 / (SCAN - 1) as f64).collect();
    let values = scan(problem, &lambdas);
    let best = (0..SCAN).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
    let mut x = vec![0.0; problem.n_params()];
    let mut at = |lambda: f64| {
        let e = inner::exact(problem, &[lambda], std::mem::take(&mut x));
        x = e.x;
        (e.outer, e.hypergradient[0])
    };
    let (mut a, mut b) = (lambdas[best.saturating_sub(1)], lambdas[(best + 1).min(SCAN - 1)]);
    let (mut fa, mut fb) = (at(a).1, at(b).1);
    let mut iterations = 0;
    if fa < 0.0 && fb > 0.0 {
        // Illinois: false position that halves a stale end, so both ends close in.
        let mut side = 0;
        while (b - a) > 1e-14 * (1.0 + a.abs()) && iterations < 200 {
            let c = (a * fb - b * fa) / (fb - fa);
            let fc = at(c).1;
            iterations += 1;
            if fc == 0.0 || c <= a || c >= b {
                (a, b) = (c, c);
            } else if fc < 0.0 {
                (a, fa) = (c, fc);
                if side == -1 {
                    fb *= 0.5;
                }
                side = -1;
            } else {
                (b, fb) = (c, fc);
                if side == 1 {
                    fa *= 0.5;
                }
                side = 1;
            }
        }
    }
    let lambda = if fa < 0.0 && fb > 0.0 { 0.5 * (a + b) } else { lambdas[best] };
    let (value, gradient) = at(lambda);
    Minimum { x: vec![lambda], value, gradient: vec![gradient], iterations }
}

/// λ* of a problem with few hyper-parameters: the best of several starts on a lattice of the box,
/// refined by Newton steps.
pub fn minimum_in_box(problem: &mut dyn Bilevel, bounds: &Bounds, starts: &[Vec<f64>]) -> Minimum {
    let zeros = vec![0.0; problem.n_params()];
    let mut f = |lambda: &[f64]| {
        let e = inner::exact(problem, lambda, zeros.clone());
        (e.outer, e.hypergradient)
    };
    let found = starts.iter().map(|s| projected_bfgs::minimise(s, bounds, 1e-8, 200, &mut f));
    let best = found.reduce(|a, b| if b.value < a.value { b } else { a }).unwrap_or_else(|| {
        projected_bfgs::minimise(&vec![0.0; bounds.dimensions()], bounds, 1e-8, 200, &mut f)
    });
    projected_bfgs::refine(best, bounds, f)
}

/// Starts on a lattice of a two-dimensional box: `columns` × `rows` cell centres.
pub fn lattice(bounds: &Bounds, columns: usize, rows: usize) -> Vec<Vec<f64>> {
    let centre = |i: usize, n: usize| (i as f64 + 0.5) / n as f64;
    (0..columns * rows)
        .map(|k| bounds.from_unit(&[centre(k % columns, columns), centre(k / columns, rows)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_minima_with_ends() {
        assert_eq!(count_local_minima(&[3.0, 1.0, 2.0]), 1);
        assert_eq!(count_local_minima(&[1.0, 2.0, 0.0, 5.0, 4.0]), 3);
        assert_eq!(count_local_minima(&[1.0, 1.0]), 0);
    }
}
