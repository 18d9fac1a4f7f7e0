//! The search for the largest expected improvement, averaged over several Gaussian processes: many points at
//! once, then local searches from the best of them.

use models::gp::{
    acquisition::{log_expected_improvement, log_expected_improvement_with_gradient},
    posterior::{Posterior, WIDTH},
};
use numerics::{linalg::vector::axpy, solve::projected_bfgs, space::Bounds};
use rayon::prelude::*;

/// Points of the unit cube in blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Points {
    count: usize,
    /// Up to [`WIDTH`] points each, one row per dimension, padded with 0.
    blocks: Vec<Vec<f64>>,
}

impl Points {
    /// The points, all of one dimension.
    pub(super) fn new(points: &[Vec<f64>]) -> Self {
        let dimensions = points.first().map_or(0, Vec::len);
        let block = |list: &[Vec<f64>]| {
            let mut rows = vec![0.0; dimensions * WIDTH];
            for (l, point) in list.iter().enumerate() {
                point.iter().enumerate().for_each(|(j, &x)| rows[j * WIDTH + l] = x);
            }
            rows
        };
        Self { count: points.len(), blocks: points.chunks(WIDTH).map(block).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Point `i`.
    pub(super) fn point(&self, i: usize) -> Vec<f64> {
        self.blocks[i / WIDTH].chunks_exact(WIDTH).map(|row| row[i % WIDTH]).collect()
    }
}

/// A point with the logarithm of its mean expected improvement.
pub(super) type Found = (f64, Vec<f64>);

/// The function that is maximised.
pub(super) struct Search<'a> {
    /// The processes.
    pub(super) processes: &'a [Posterior],
    /// The loss to improve on.
    pub(super) best: f64,
    /// The bounds of the points.
    pub(super) cube: &'a Bounds,
}

impl Search<'_> {
    /// Logarithm of the mean expected improvement at the points of a block.
    fn block(&self, points: &[f64]) -> Vec<f64> {
        let mut logs = vec![Vec::new(); WIDTH];
        for process in self.processes {
            let block = process.predict(points);
            for (l, logs) in logs.iter_mut().enumerate() {
                let (mean, deviation) = (block.means[l], block.deviations[l]);
                logs.push(log_expected_improvement(mean, deviation, self.best, 0.0));
            }
        }
        logs.iter().map(|logs| log_mean_exp(logs)).collect()
    }

    /// Logarithm of the mean expected improvement at a point, and its gradient.
    pub(super) fn at(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let of_each = self.processes.iter().map(|process| {
            let prediction = process.predict_with_gradient(x);
            log_expected_improvement_with_gradient(&prediction, self.best, 0.0)
        });
        let (logs, gradients): (Vec<f64>, Vec<Vec<f64>>) = of_each.unzip();
        let (value, mut gradient) = (log_mean_exp(&logs), vec![0.0; x.len()]);
        if value.is_finite() {
            for (log, own) in logs.iter().zip(&gradients) {
                axpy((log - value).exp() / logs.len() as f64, own, &mut gradient);
            }
        }
        (value, gradient)
    }

    /// The `count` best of all points, at least one, the best first and equal ones in their order.
    pub(super) fn best_of(&self, all: &[&Points], count: usize) -> Vec<Found> {
        let mut ranked: Vec<(f64, usize, usize)> = Vec::new();
        for (set, points) in all.iter().enumerate() {
            let values: Vec<Vec<f64>> = points.blocks.par_iter().map(|b| self.block(b)).collect();
            let values = values.into_iter().flatten().take(points.count);
            ranked.extend(values.enumerate().map(|(i, value)| (value, set, i)));
        }
        let order = |a: &(f64, usize, usize), b: &(f64, usize, usize)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        let count = count.max(1);
        if count < ranked.len() {
            ranked.select_nth_unstable_by(count, order);
            ranked.truncate(count);
        }
        ranked.sort_unstable_by(order);
        ranked.into_iter().map(|(value, set, i)| (value, all[set].point(i))).collect()
    }

    /// The best point that local searches of at most `iterations` find from these.
    pub(super) fn refine(&self, starts: Vec<Found>, iterations: usize) -> Option<Vec<f64>> {
        let goal = |x: &[f64]| {
            let (value, mut gradient) = self.at(x);
            for g in &mut gradient {
                *g = -*g;
            }
            (-value, gradient)
        };
        let refine = |(value, start): Found| {
            let end = projected_bfgs::minimise(&start, self.cube, 1e-4, iterations, goal);
            if -end.value > value { (-end.value, end.x) } else { (value, start) }
        };
        let found: Vec<Found> = starts.into_par_iter().map(refine).collect();
        let better = |a: Found, b: Found| if b.0 > a.0 { b } else { a };
        found.into_iter().reduce(better).map(|(_, point)| point)
    }
}

/// ln of the mean of exp, without overflow; −∞ if all values are −∞.
fn log_mean_exp(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    most + (sum / logs.len() as f64).ln()
}
