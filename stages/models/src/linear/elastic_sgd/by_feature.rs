//! Each binary problem by itself, features side by side in vector lanes.

use numerics::linalg::{elementary::logistic, simd_dispatch::wide, vector::dot_lanes};

use super::{ElasticSgd, charge, rates::Rates};
use crate::linear::sign;

/// One binary problem while it is fitted.
#[derive(Debug, Clone)]
pub(super) struct Contest {
    pub(super) offset: f64,
    /// The L1 penalty that each weight has received so far, and the penalty accumulated.
    paid: Vec<f64>,
    owed: f64,
    best: f64,
    waited: usize,
    /// Epochs made.
    pub(super) epochs: usize,
    pub(super) over: bool,
    /// Sum of the objective over the rows of this epoch.
    total: f64,
}

impl Contest {
    /// A problem whose weights are all zero.
    pub(super) fn new(features: usize) -> Self {
        Self {
            offset: 0.0,
            paid: vec![0.0; features],
            owed: 0.0,
            best: f64::INFINITY,
            waited: 0,
            epochs: 0,
            over: false,
            total: 0.0,
        }
    }

    /// Counts an epoch of `rows` rows, and ends the binary problem on a plateau.
    pub(super) fn end_epoch(&mut self, settings: &ElasticSgd, rows: usize) {
        if self.over {
            return;
        }
        self.epochs += 1;
        let mean = std::mem::take(&mut self.total) / rows as f64;
        let Some(plateau) = settings.plateau else { return };
        let better = mean <= self.best - plateau.tolerance;
        self.waited = if better { 0 } else { self.waited + 1 };
        self.best = self.best.min(mean);
        self.over = self.waited >= plateau.patience;
    }
}

wide! {
    /// One epoch of all binary problems over the rows `order`, from update `start` on.
    pub(super) fn epoch['a]['a](
        settings: &'a ElasticSgd,
        samples: (&'a [f64], &'a [u32]),
        order: &'a [u32],
        start: u64,
        weights: &'a mut [f64],
        contests: &'a mut [Contest],
    ) -> () {
        let ElasticSgd { alpha, l1_ratio, plateau, .. } = *settings;
        let (x, y) = samples;
        let (d, k) = (weights.len() / contests.len(), contests.len());
        let rates = Rates::new(settings);
        let mut margins = vec![0.0; k];
        let mut slopes = vec![(0.0, 0.0); k];
        for (t, &row) in (start..).zip(order) {
            let (values, label) = (&x[row as usize * d..][..d], y[row as usize]);
            let (rate, keep) = rates.at(t);
            let scored = margins.iter_mut().zip(&*contests).zip(weights.chunks_exact(d));
            for (c, ((margin, contest), w)) in scored.enumerate() {
                if !contest.over {
                    *margin = sign(label, c, k) * (dot_lanes(w, values) + contest.offset);
                }
            }
            // Of all problems together: side by side in registers.
            for (slope, margin) in slopes.iter_mut().zip(&margins) {
                *slope = logistic(*margin);
            }
            let contests = contests.iter_mut().zip(weights.chunks_exact_mut(d)).zip(&slopes);
            for (c, ((contest, w), &(loss, slope))) in contests.enumerate() {
                if contest.over {
                    continue;
                }
                if plateau.is_some() {
                    let ridge = 0.5 * (1.0 - l1_ratio) * dot_lanes(w, w);
                    let sparse = if l1_ratio > 0.0 { l1_ratio * l1_norm(w) } else { 0.0 };
                    contest.total += loss + alpha * (ridge + sparse);
                }
                let step = rate * sign(label, c, k) * slope;
                contest.offset += step;
                if l1_ratio > 0.0 {
                    contest.owed += l1_ratio * rate * alpha;
                    for ((w, v), paid) in w.iter_mut().zip(values).zip(&mut contest.paid) {
                        (*w, *paid) = charge(step.mul_add(*v, keep * *w), contest.owed, *paid);
                    }
                } else {
                    for (w, v) in w.iter_mut().zip(values) {
                        *w = step.mul_add(*v, keep * *w);
                    }
                }
            }
        }
    }
}

/// Σ |w|, in sixteen independent sums.
#[inline(always)]
fn l1_norm(w: &[f64]) -> f64 {
    let mut sums = [0.0_f64; 16];
    for block in w.chunks(16) {
        for (s, v) in sums.iter_mut().zip(block) {
            *s += v.abs();
        }
    }
    sums.iter().sum()
}
