//! Projected BFGS for smooth functions of a few variables in a box, and Newton refinement of its result.

use ndarray::{Array1, Array2};

use crate::linalg::cholesky::Cholesky;
use crate::space::Bounds;

/// A minimum found in a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The point.
    pub x: Vec<f64>,
    /// Value at the point.
    pub value: f64,
    /// Gradient at the point.
    pub gradient: Vec<f64>,
    /// Iterations made.
    pub iterations: usize,
}

/// The variables that can move: those not at a bound that the step along −∇f would cross.
fn free(x: &[f64], g: &[f64], bounds: &Bounds) -> Vec<usize> {
    let pushed = |i: usize| {
        (x[i] <= bounds.low()[i] && g[i] > 0.0) || (x[i] >= bounds.high()[i] && g[i] < 0.0)
    };
    (0..x.len()).filter(|&i| !pushed(i)).collect()
}

/// The largest absolute value of the chosen gradient entries.
fn largest(g: &[f64], free: &[usize]) -> f64 {
    free.iter().map(|&i| g[i].abs()).fold(0.0, f64::max)
}

fn clip(x: &mut [f64], bounds: &Bounds) {
    for ((v, l), h) in x.iter_mut().zip(bounds.low()).zip(bounds.high()) {
        *v = v.clamp(*l, *h);
    }
}

/// Minimises `f` (value and gradient) from `start` inside `bounds` until the free gradient entries are ≤
/// `tolerance` in absolute value. Values that are not finite are treated as too high.
pub fn minimise(
    start: &[f64],
    bounds: &Bounds,
    tolerance: f64,
    max_iterations: usize,
    f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> Minimum {
    minimise_near(start, None, bounds, (tolerance, max_iterations), f).0
}

/// As [`minimise`], with an estimate of the inverse Hessian (positive definite; `None` for none) to begin with, such as
/// the one at the minimum of a similar function. Returns the last estimate beside the minimum.
pub fn minimise_near(
    start: &[f64],
    inverse: Option<Array2<f64>>,
    bounds: &Bounds,
    (tolerance, max_iterations): (f64, usize),
    mut f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> (Minimum, Array2<f64>) {
    let n = start.len();
    let mut x = start.to_vec();
    clip(&mut x, bounds);
    let (mut value, mut g) = f(&x);
    let mut fresh = inverse.is_none();
    let mut inverse = inverse.unwrap_or_else(|| Array2::eye(n));
    let mut iterations = 0;
    while iterations < max_iterations && value.is_finite() {
        let free = free(&x, &g, bounds);
        if free.iter().all(|&i| g[i].abs() <= tolerance) {
            break;
        }
        let mut d = vec![0.0; n];
        for &i in &free {
            d[i] = -free.iter().map(|&j| inverse[(i, j)] * g[j]).sum::<f64>();
        }
        let slope: f64 = d.iter().zip(&g).map(|(p, q)| p * q).sum();
        let descends = slope < 0.0;
        if !descends {
            if fresh {
                break;
            }
            inverse = Array2::eye(n);
            fresh = true;
            continue;
        }
        let size = d.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let mut t = if fresh { (1.0 / size).min(1.0) } else { 1.0 };
        let found = (0..40).find_map(|_| {
            let mut trial: Vec<f64> = x.iter().zip(&d).map(|(v, s)| v + t * s).collect();
            clip(&mut trial, bounds);
            let predicted: f64 = trial.iter().zip(&x).zip(&g).map(|((p, q), s)| (p - q) * s).sum();
            let (v, gt) = f(&trial);
            t *= 0.4;
            // At the limit of the values' precision the gradient still tells which point is better.
            let level =
                v <= value + 1e-15 * value.abs() && largest(&gt, &free) < largest(&g, &free);
            (level || (v <= value + 1e-4 * predicted && v < value)).then_some((trial, v, gt))
        });
        let Some((next, v, gt)) = found else {
            if fresh {
                break;
            }
            inverse = Array2::eye(n);
            fresh = true;
            continue;
        };
        let s: Array1<f64> = next.iter().zip(&x).map(|(p, q)| p - q).collect();
        let y: Array1<f64> = gt.iter().zip(&g).map(|(p, q)| p - q).collect();
        update(&mut inverse, &s, &y, fresh);
        fresh = false;
        (x, value, g) = (next, v, gt);
        iterations += 1;
    }
    (Minimum { x, value, gradient: g, iterations }, inverse)
}

/// The BFGS update of the inverse Hessian, \[Nocedal2006\] eq. (6.17), scaled by the first pair.
fn update(inverse: &mut Array2<f64>, s: &Array1<f64>, y: &Array1<f64>, first: bool) {
    let (sy, yy) = (s.dot(y), y.dot(y));
    let curved = sy > 1e-14 * yy;
    if !curved {
        return;
    }
    if first {
        *inverse *= sy / yy;
    }
    let hy = inverse.dot(y);
    let factor = (1.0 + y.dot(&hy) / sy) / sy;
    for i in 0..s.len() {
        for j in 0..s.len() {
            inverse[(i, j)] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

/// The Hessian by central differences of the gradient with one Richardson extrapolation.
pub fn hessian(x: &[f64], mut gradient: impl FnMut(&[f64]) -> Vec<f64>) -> Array2<f64> {
    let n = x.len();
    let mut h = Array2::zeros((n, n));
    for i in 0..n {
        let mut difference = |step: f64| {
            let mut at = x.to_vec();
            at[i] = x[i] + step;
            let up = gradient(&at);
            at[i] = x[i] - step;
            let down = gradient(&at);
            Array1::from_iter(up.iter().zip(&down).map(|(p, q)| (p - q) / (2.0 * step)))
        };
        let (wide, narrow) = (difference(4e-3), difference(2e-3));
        h.row_mut(i).assign(&((4.0 * narrow - wide) / 3.0));
    }
    (&h + &h.t()) * 0.5
}

/// Newton steps in the free variables from a point near a minimum, as long as the free gradient
/// falls.
pub fn refine(
    near: Minimum,
    bounds: &Bounds,
    mut f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> Minimum {
    let mut best = near;
    for _ in 0..20 {
        let free = free(&best.x, &best.gradient, bounds);
        let full = hessian(&best.x, |x| f(x).1);
        let h = Array2::from_shape_fn((free.len(), free.len()), |(i, j)| full[(free[i], free[j])]);
        let g: Array1<f64> = free.iter().map(|&i| best.gradient[i]).collect();
        let Ok(factor) = Cholesky::new(&h) else { break };
        let d = factor.solve(g.view());
        let mut x = best.x.clone();
        for (&i, step) in free.iter().zip(&d) {
            x[i] -= step;
        }
        clip(&mut x, bounds);
        let (value, gradient) = f(&x);
        let fell = largest(&gradient, &free) < largest(&best.gradient, &free);
        if !fell {
            break;
        }
        best = Minimum { x, value, gradient, iterations: best.iterations + 1 };
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quadratic(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (x[0] - 3.0, x[1] + 1.0);
        (a * a + a * b + 2.0 * b * b, vec![2.0 * a + b, a + 4.0 * b])
    }

    #[test]
    fn finds_inner_and_bound_minima() {
        let inside = minimise(&[0.0, 0.0], &Bounds::cube(2, 10.0).unwrap(), 1e-12, 100, quadratic);
        assert!((inside.x[0] - 3.0).abs() < 1e-10 && (inside.x[1] + 1.0).abs() < 1e-10);
        // With x₀ ≤ 2 the minimum over x₁ is at −1 + 1/4.
        let bounds = Bounds::new(vec![-2.0, -5.0], vec![2.0, 5.0]).unwrap();
        let held = minimise(&[-2.0, 5.0], &bounds, 1e-12, 100, quadratic);
        assert!(held.x[0] == 2.0 && (held.x[1] + 0.75).abs() < 1e-10, "{held:?}");
        let (value, gradient) = quadratic(&[2.0, -0.7]);
        let near = Minimum { x: vec![2.0, -0.7], value, gradient, iterations: 0 };
        let polished = refine(near, &bounds, quadratic);
        assert!((polished.x[1] + 0.75).abs() < 1e-8);
    }

    /// The last estimate is near the inverse Hessian, with which a shifted copy takes fewer iterations.
    #[test]
    fn an_estimate_of_the_curvature_saves_iterations() {
        let bounds = Bounds::cube(2, 10.0).unwrap();
        let limits = (1e-9, 100);
        let (cold, inverse) = minimise_near(&[0.0, 0.0], None, &bounds, limits, quadratic);
        for (found, exact) in inverse.iter().zip([4.0, -1.0, -1.0, 2.0]) {
            assert!((found - exact / 7.0).abs() < 0.02, "{inverse}");
        }
        let shifted = |x: &[f64]| quadratic(&[x[0] + 1.0, x[1] - 2.0]);
        let (warm, _) = minimise_near(&cold.x, Some(inverse), &bounds, limits, shifted);
        assert!((warm.x[0] - 2.0).abs() < 1e-8 && (warm.x[1] - 1.0).abs() < 1e-8, "{warm:?}");
        assert!(warm.iterations < cold.iterations, "{warm:?} {cold:?}");
        // One that does not descend is given up.
        let wrong = Some(-Array2::<f64>::eye(2));
        let (found, _) = minimise_near(&[0.0, 0.0], wrong, &bounds, limits, quadratic);
        assert!((found.x[0] - 3.0).abs() < 1e-8);
    }

    #[test]
    fn hessian_of_a_known_function() {
        let h =
            hessian(&[0.3, 0.2], |x| vec![(x[0] * x[1]).cos() * x[1], (x[0] * x[1]).cos() * x[0]]);
        let s = (0.06_f64).sin();
        assert!((h[(0, 0)] + s * 0.04).abs() < 1e-9);
        assert!((h[(0, 1)] - ((0.06_f64).cos() - s * 0.06)).abs() < 1e-9);
    }
}
