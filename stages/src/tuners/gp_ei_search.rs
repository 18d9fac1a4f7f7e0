//! The search for the largest expected improvement, averaged over several Gaussian processes: many
//! points at once, then local searches from the best of them. Knows no observation.

use rayon::prelude::*;

use crate::models::acquisition::{expected_improvement, expected_improvement_with_gradient};
use crate::models::gp_posterior::{Posterior, WIDTH};
use crate::solve::boxed;
use crate::space::Bounds;

/// Points of the unit cube in blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Points {
    count: usize,
    /// Up to [`WIDTH`] points each, one row a dimension; what is left over is 0.
    blocks: Vec<Vec<f64>>,
}

impl Points {
    /// All of one dimension.
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

/// A point with its mean expected improvement.
pub(super) type Found = (f64, Vec<f64>);

/// What is maximised.
pub(super) struct Search<'a> {
    /// The processes.
    pub(super) processes: &'a [Posterior],
    /// The target to improve on.
    pub(super) best: f64,
    /// Where points may lie.
    pub(super) cube: &'a Bounds,
}

impl Search<'_> {
    /// Mean expected improvement at the points of a block.
    fn block(&self, points: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; WIDTH];
        for process in self.processes {
            let block = process.predict(points);
            for (l, sum) in sums.iter_mut().enumerate() {
                *sum += expected_improvement(block.means[l], block.deviations[l], self.best, 0.0);
            }
        }
        let count = self.processes.len().max(1) as f64;
        for sum in &mut sums {
            *sum /= count;
        }
        sums
    }

    /// Mean expected improvement at a point, and its gradient.
    pub(super) fn at(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let (mut sum, mut gradient) = (0.0, vec![0.0; x.len()]);
        for process in self.processes {
            let prediction = process.predict_with_gradient(x);
            let (value, own) = expected_improvement_with_gradient(&prediction, self.best, 0.0);
            sum += value;
            gradient.iter_mut().zip(&own).for_each(|(g, o)| *g += o);
        }
        let scale = 1.0 / self.processes.len().max(1) as f64;
        for g in &mut gradient {
            *g *= scale;
        }
        (scale * sum, gradient)
    }

    /// The `count` best of all points, at least one, the best first and equal ones in order.
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
            let end = boxed::minimise(&start, self.cube, 1e-6, iterations, goal);
            if -end.value > value { (-end.value, end.x) } else { (value, start) }
        };
        let found: Vec<Found> = starts.into_par_iter().map(refine).collect();
        let better = |a: Found, b: Found| if b.0 > a.0 { b } else { a };
        found.into_iter().reduce(better).map(|(_, point)| point)
    }
}
