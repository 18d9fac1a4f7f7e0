//! Logistic regression with an elastic-net penalty by stochastic gradient descent, as scikit-learn's
//! `SGDClassifier` does it; several classes one against the rest.
//!
//! Minimises the mean of ln(1 + e^(−y (w·x + b))) + α ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁). The learning rate is
//! scikit-learn's "optimal": η = 1/(α (t₀ + t)) with t₀ = α^(−3/4). L1 is applied by the cumulative penalty
//! of \[Tsuruoka2009\]: a weight receives the penalty that has accumulated over all updates so far, clipped
//! so that its sign never changes.

use numerics::linalg::{elementary::logistic, simd_dispatch::wide, vector::dot_lanes};
use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};

use crate::{
    linear::{Linear, scores, sign},
    samples::Samples,
};

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
#[error("{name} is {value}: expected {expected}")]
pub struct ElasticError {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The accepted values.
    pub expected: &'static str,
}

/// Early stopping: training ends after `patience` consecutive epochs whose mean objective is not below the
/// best one by more than `tolerance`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// The smallest improvement of the mean objective that counts.
    pub tolerance: f64,
    /// Number of epochs without such an improvement.
    pub patience: usize,
}

/// Settings whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticSgd {
    alpha: f64,
    l1_ratio: f64,
    epochs: usize,
    plateau: Option<Plateau>,
}

impl ElasticSgd {
    /// Penalty α, the share ρ of its L1 part, the maximum number of epochs, and early stopping.
    ///
    /// # Errors
    /// If α is not finite and positive, or ρ not in \[0, 1\].
    pub fn new(
        alpha: f64,
        l1_ratio: f64,
        epochs: usize,
        plateau: Option<Plateau>,
    ) -> Result<Self, ElasticError> {
        if !(alpha.is_finite() && alpha > 0.0) {
            let expected = "a finite positive number";
            return Err(ElasticError { name: "alpha", value: alpha, expected });
        }
        if !(0.0..=1.0).contains(&l1_ratio) {
            let expected = "a number from 0 to 1";
            return Err(ElasticError { name: "l1 ratio", value: l1_ratio, expected });
        }
        Ok(Self { alpha, l1_ratio, epochs, plateau })
    }
}

/// A fit with its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticFit {
    /// The classifier.
    pub model: Linear,
    /// Number of epochs of each score.
    pub epochs: Vec<usize>,
    /// Whether every weight stayed finite.
    pub finite: bool,
    /// Number of updates: rows visited, once per score.
    pub updates: u64,
}

/// One binary problem while it is fitted.
#[derive(Debug, Clone)]
struct Contest {
    offset: f64,
    /// The L1 penalty that each weight has received so far, and the penalty accumulated.
    paid: Vec<f64>,
    owed: f64,
    best: f64,
    waited: usize,
    /// Epochs made.
    epochs: usize,
    over: bool,
    /// Sum of the objective over the rows of this epoch.
    total: f64,
}

wide! {
    /// One epoch of all binary problems over the rows `order`, from update `t` on.
    fn epoch['a]['a](
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
        let first = alpha.sqrt().sqrt() / alpha;
        let mut margins = vec![0.0; k];
        let mut slopes = vec![(0.0, 0.0); k];
        for (t, &row) in (start..).zip(order) {
            let (values, label) = (&x[row as usize * d..][..d], y[row as usize]);
            let rate = 1.0 / (alpha * (first + t as f64));
            let keep = (1.0 - (1.0 - l1_ratio) * rate * alpha).max(0.0);
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
                    truncated_step(keep, step, values, w, (contest.owed, &mut contest.paid));
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

/// w ← keep w + step x, then the outstanding penalty of each weight, clipped at 0.
#[inline(always)]
fn truncated_step(keep: f64, step: f64, x: &[f64], w: &mut [f64], (owed, paid): (f64, &mut [f64])) {
    for ((w, v), paid) in w.iter_mut().zip(x).zip(paid) {
        let moved = step.mul_add(*v, keep * *w);
        let (lower, upper) = (moved - (owed + *paid), moved + (owed - *paid));
        let lower = if lower > 0.0 { lower } else { 0.0 };
        let upper = if upper < 0.0 { upper } else { 0.0 };
        let left = if moved < 0.0 { upper } else { moved };
        let left = if moved > 0.0 { lower } else { left };
        *paid += left - moved;
        *w = left;
    }
}

impl ElasticSgd {
    /// Fits the chosen rows, visited in a new random order in each epoch, the same for all classes; without a
    /// generator, in the given order.
    ///
    /// DIFFERS: scikit-learn shuffles anew for each class, and its objective takes ‖w‖² without what
    /// the L1 penalty took away; the end by plateau may come an epoch earlier or later.
    ///
    /// # Panics
    /// If `rows` is empty or names a row that does not exist.
    pub fn fit(
        &self,
        samples: &Samples,
        rows: &[usize],
        rng: Option<&mut ChaCha12Rng>,
    ) -> ElasticFit {
        assert!(!rows.is_empty(), "rows to fit");
        let (d, k) = (samples.x.ncols(), scores(samples.classes));
        let x = samples.x.as_standard_layout();
        let x = x.as_slice().expect("standard layout");
        let mut order: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        let mut shuffles = rng.map(|rng| ChaCha12Rng::from_seed(rng.random()));
        let mut model = Linear::zeros(k, d);
        let start = Contest {
            offset: 0.0,
            paid: vec![0.0; d],
            owed: 0.0,
            best: f64::INFINITY,
            waited: 0,
            epochs: 0,
            over: false,
            total: 0.0,
        };
        let mut contests = vec![start; k];
        let (mut updates, mut finite) = (0, true);
        for made in 0..self.epochs as u64 {
            if let Some(shuffles) = &mut shuffles {
                for i in (1..order.len()).rev() {
                    order.swap(i, shuffles.random_range(0..=i as u32) as usize);
                }
            }
            let open = contests.iter().filter(|contest| !contest.over).count() as u64;
            if open == 0 {
                break;
            }
            updates += open * order.len() as u64;
            let start = made * order.len() as u64;
            epoch(self, (x, &samples.y), &order, start, model.weights_mut(), &mut contests);
            for contest in &mut contests {
                self.end_epoch(contest, order.len());
            }
            for (offset, contest) in model.offsets.iter_mut().zip(&contests) {
                *offset = contest.offset;
            }
            finite = model.is_finite();
            if !finite {
                break;
            }
        }
        let epochs = contests.iter().map(|contest| contest.epochs).collect();
        ElasticFit { model, epochs, finite, updates }
    }

    /// Counts an epoch, and ends the binary problem on a plateau.
    fn end_epoch(&self, contest: &mut Contest, rows: usize) {
        if contest.over {
            return;
        }
        contest.epochs += 1;
        let mean = std::mem::take(&mut contest.total) / rows as f64;
        let Some(plateau) = self.plateau else { return };
        let better = mean <= contest.best - plateau.tolerance;
        contest.waited = if better { 0 } else { contest.waited + 1 };
        contest.best = contest.best.min(mean);
        contest.over = contest.waited >= plateau.patience;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;

    fn samples(n: usize, classes: u32) -> Samples {
        let x = Array2::from_shape_fn((n, 5), |(i, j)| ((i * 7 + j * 13) as f64 * 0.31).sin());
        let class = |row: ndarray::ArrayView1<'_, f64>| {
            (u32::from(row[0] > 0.0) + u32::from(row[1] > 0.3)).min(classes - 1)
        };
        let y = x.rows().into_iter().map(class).collect();
        Samples::new(x, y, classes as usize).unwrap()
    }

    /// The mean objective of one score.
    fn objective(settings: &ElasticSgd, samples: &Samples, model: &Linear, k: usize) -> f64 {
        let w = model.weights.row(k);
        let rows = samples.x.rows().into_iter().zip(&samples.y);
        let losses = rows.map(|(row, &label)| {
            let sign = sign(label, k, model.offsets.len());
            logistic(sign * (w.dot(&row) + model.offsets[k])).0
        });
        let ridge = 0.5 * (1.0 - settings.l1_ratio) * w.dot(&w);
        let sparse = settings.l1_ratio * w.mapv(f64::abs).sum();
        losses.sum::<f64>() / samples.n_rows() as f64 + settings.alpha * (ridge + sparse)
    }

    #[test]
    fn many_epochs_come_near_the_minimum() {
        for (classes, alpha, l1_ratio) in [(2, 0.1, 0.0), (3, 0.03, 0.5), (3, 0.1, 1.0)] {
            let samples = samples(300, classes);
            let rows: Vec<usize> = (0..300).collect();
            let settings = ElasticSgd::new(alpha, l1_ratio, 300, None).unwrap();
            let mut rng = ChaCha12Rng::seed_from_u64(5);
            let fit = settings.fit(&samples, &rows, Some(&mut rng));
            assert!(fit.finite && fit.updates == (300 * 300 * fit.model.offsets.len()) as u64);
            for k in 0..fit.model.offsets.len() {
                let here = objective(&settings, &samples, &fit.model, k);
                // No step along a coordinate, up or down, lowers the objective by much.
                for j in 0..5 {
                    for step in [-0.02, 0.02] {
                        let mut near = fit.model.clone();
                        near.weights[[k, j]] += step;
                        let there = objective(&settings, &samples, &near, k);
                        assert!(there > here - 2e-4, "{classes} {k} {j}: {there} {here}");
                    }
                }
            }
        }
    }

    #[test]
    fn shuffles_repeat_and_rows_that_are_not_chosen_do_not_count() {
        let mut samples = samples(80, 3);
        let rows: Vec<usize> = (10..60).collect();
        let settings = ElasticSgd::new(1e-3, 0.3, 4, None).unwrap();
        let run = |samples: &Samples, seed| {
            settings.fit(samples, &rows, Some(&mut ChaCha12Rng::seed_from_u64(seed)))
        };
        let fit = run(&samples, 1);
        assert_ne!(fit, run(&samples, 2));
        samples.x.row_mut(70).fill(1e6);
        assert_eq!(fit, run(&samples, 1));
    }

    #[test]
    fn a_strong_l1_penalty_leaves_no_weight() {
        let samples = samples(80, 2);
        let rows: Vec<usize> = (0..80).collect();
        let fit = ElasticSgd::new(2.0, 1.0, 20, None).unwrap().fit(&samples, &rows, None);
        assert!(fit.model.weights.iter().all(|&w| w == 0.0));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ElasticSgd::new(bad, 0.5, 1, None).is_err());
        }
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(ElasticSgd::new(1.0, bad, 1, None).is_err());
        }
    }
}
