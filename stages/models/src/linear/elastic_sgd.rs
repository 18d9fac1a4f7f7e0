//! Logistic regression with an elastic-net penalty by stochastic gradient descent, as scikit-learn's
//! `SGDClassifier` does it; several classes one against the rest.
//!
//! Minimises the mean of ln(1 + e^(−y (w·x + b))) + α ((1 − ρ)/2 ‖w‖² + ρ ‖w‖₁). The learning rate is
//! scikit-learn's "optimal": η = 1/(α (t₀ + t)) with t₀ = α^(−3/4). L1 is applied by the cumulative penalty
//! of \[Tsuruoka2009\]: a weight receives the penalty that has accumulated over all updates so far, clipped
//! so that its sign never changes.

mod by_class;
mod by_feature;
mod rates;

use rand::RngExt as _;
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use serde::{Deserialize, Serialize};

use self::{
    by_class::{ByClass, SparseRows},
    by_feature::Contest,
};
use crate::{
    linear::{Linear, scores},
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

/// When the L1 penalty of an update is taken from the weights.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Charge {
    /// In the update, from all weights.
    #[default]
    EachUpdate,
    /// When the weight is used next, which is where its feature is not zero, or when the epoch ends: much less work for
    /// rows that are mostly zero.
    WhenUsed,
}

/// Settings whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticSgd {
    alpha: f64,
    l1_ratio: f64,
    epochs: usize,
    plateau: Option<Plateau>,
    charge: Charge,
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
        Ok(Self { alpha, l1_ratio, epochs, plateau, charge: Charge::EachUpdate })
    }

    /// The same with another time at which the L1 penalty is taken. Early stopping and two classes always have
    /// [`Charge::EachUpdate`].
    #[must_use]
    pub fn charged(self, charge: Charge) -> Self {
        Self { charge, ..self }
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

/// A weight after the outstanding penalty was taken from it, clipped at 0, and the penalty that it has received so far:
/// negative if it is positive.
#[inline(always)]
fn charge(weight: f64, owed: f64, paid: f64) -> (f64, f64) {
    // What is taken away is the weight itself, within what it still owes if it is negative or positive.
    let (negative, positive) = (paid - owed, paid + owed);
    let taken = if negative > weight { negative } else { weight };
    let taken = if positive < taken { positive } else { taken };
    let left = weight - taken;
    (left, paid + (left - weight))
}

impl ElasticSgd {
    /// Fits the chosen rows, visited in a new random order in each epoch, the same for all classes; without a
    /// generator, in the given order.
    ///
    /// DIFFERS: scikit-learn shuffles anew for each class, and its objective takes ‖w‖² without what
    /// the L1 penalty took away; the end by plateau may come an epoch earlier or later.
    ///
    /// DIFFERS: scikit-learn takes the L1 penalty from all weights in each update if rows are stored whole, and
    /// from those of a row's features, after their step, if only what is not zero is stored. [`Charge::WhenUsed`] does so
    /// before the weight is used, and at the end of an epoch: the same as in each update, except that the L2 penalty, if
    /// there are both, has shrunk it first.
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
        let mut shuffles = rng.map(|rng| ChaCha12Rng::from_seed(rng.random()));
        if self.charge == Charge::WhenUsed && k > 1 && self.plateau.is_none() {
            let labels: Vec<u32> = rows.iter().map(|&row| samples.y[row]).collect();
            let sparse = SparseRows::new(rows.iter().map(|&row| &x[row * d..][..d]));
            // Where hardly anything is zero, nothing is charged later than in its update.
            if 2 * sparse.entries() < rows.len() * d {
                return self.fit_by_class((&sparse, &labels), (k, d), shuffles.as_mut());
            }
        }
        let order = rows.iter().map(|&row| row as u32).collect();
        self.fit_by_feature((x, &samples.y), order, (k, d), shuffles.as_mut())
    }

    fn fit_by_class(
        &self,
        samples: (&SparseRows, &[u32]),
        (k, d): (usize, usize),
        mut shuffles: Option<&mut ChaCha12Rng>,
    ) -> ElasticFit {
        let mut order: Vec<u32> = (0..samples.1.len() as u32).collect();
        let mut model = Linear::zeros(k, d);
        let mut problems = ByClass::new(k, d);
        let (mut made, mut finite) = (0, true);
        while made < self.epochs && finite {
            shuffle(&mut order, shuffles.as_deref_mut());
            let start = (made * order.len()) as u64;
            by_class::epoch(self, samples, &order, start, &mut problems);
            problems.write(&mut model);
            finite = model.is_finite();
            made += 1;
        }
        let updates = (made * k * order.len()) as u64;
        ElasticFit { model, epochs: vec![made; k], finite, updates }
    }

    fn fit_by_feature(
        &self,
        samples: (&[f64], &[u32]),
        mut order: Vec<u32>,
        (k, d): (usize, usize),
        mut shuffles: Option<&mut ChaCha12Rng>,
    ) -> ElasticFit {
        let mut model = Linear::zeros(k, d);
        let mut contests = vec![Contest::new(d); k];
        let (mut updates, mut finite) = (0, true);
        for made in 0..self.epochs as u64 {
            shuffle(&mut order, shuffles.as_deref_mut());
            let open = contests.iter().filter(|contest| !contest.over).count() as u64;
            if open == 0 {
                break;
            }
            updates += open * order.len() as u64;
            let start = made * order.len() as u64;
            by_feature::epoch(self, samples, &order, start, model.weights_mut(), &mut contests);
            contests.iter_mut().for_each(|contest| contest.end_epoch(self, order.len()));
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
}

/// Puts the rows into a new random order, if there is a generator.
fn shuffle(order: &mut [u32], rng: Option<&mut ChaCha12Rng>) {
    let Some(rng) = rng else { return };
    for i in (1..order.len()).rev() {
        order.swap(i, rng.random_range(0..=i as u32) as usize);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::linear::sign;
    use numerics::linalg::elementary::logistic;

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

    /// With one penalty alone, the two kernels are the same method.
    #[test]
    fn classes_side_by_side_are_each_class_by_itself() {
        for (classes, l1_ratio) in [(3, 0.0), (9, 1.0), (17, 1.0), (12, 0.0)] {
            let x = Array2::from_shape_fn((120, 21), |(i, j)| {
                let there = (i * 5 + j) % 3 == 0;
                if there { ((i * 7 + j * 13) as f64 * 0.31).sin() } else { 0.0 }
            });
            let y = (0..120).map(|i| (i * i % classes) as u32).collect();
            let samples = Samples::new(x, y, classes).unwrap();
            let rows: Vec<usize> = (5..115).rev().collect();
            let fit = |charge| {
                let settings = ElasticSgd::new(0.003, l1_ratio, 3, None).unwrap().charged(charge);
                settings.fit(&samples, &rows, Some(&mut ChaCha12Rng::seed_from_u64(1)))
            };
            let (one, each) = (fit(Charge::WhenUsed), fit(Charge::EachUpdate));
            assert_ne!(one, each, "sums in another order");
            assert_eq!((&one.epochs, one.updates), (&each.epochs, each.updates));
            let numbers = |fit: &ElasticFit| -> Vec<f64> {
                fit.model.weights.iter().chain(&fit.model.offsets).copied().collect()
            };
            let (one, each) = (numbers(&one), numbers(&each));
            assert!(one.iter().any(|w| w.abs() > 0.1));
            for (at, (a, b)) in one.iter().zip(&each).enumerate() {
                assert!((a - b).abs() < 1e-11, "{classes} {l1_ratio}, {at}: {a} {b}");
            }
        }
    }

    /// Written out: with both penalties a weight is shrunk in each update and charged before it is used.
    #[test]
    fn a_weight_is_charged_before_it_is_used() {
        let x = Array2::from_shape_fn((40, 4), |(i, j)| {
            if (i + j) % 3 == 0 { ((i * 7 + j * 13) as f64 * 0.31).sin() } else { 0.0 }
        });
        let y: Vec<u32> = (0..40).map(|i| i % 3).collect();
        let samples = Samples::new(x.clone(), y.clone(), 3).unwrap();
        let rows: Vec<usize> = (0..40).collect();
        let (alpha, l1_ratio) = (0.01, 0.3);
        let settings = ElasticSgd::new(alpha, l1_ratio, 2, None).unwrap();
        let fit = settings.charged(Charge::WhenUsed).fit(&samples, &rows, None);
        for class in 0..3 {
            let (mut w, mut paid, mut offset, mut owed) = ([0.0; 4], [0.0; 4], 0.0, 0.0);
            for t in 0..80 {
                let (row, own) = (x.row(t % 40), y[t % 40] == class);
                let used = (0..4).filter(|&j| row[j] != 0.0);
                used.for_each(|j| (w[j], paid[j]) = charge(w[j], owed, paid[j]));
                let sign = if own { 1.0 } else { -1.0 };
                let margin = sign * ((0..4).map(|j| w[j] * row[j]).sum::<f64>() + offset);
                let rate = 1.0 / (alpha * (alpha.powf(-0.75) + t as f64));
                let step = rate * sign / (1.0 + f64::exp(margin));
                let keep = 1.0 - (1.0 - l1_ratio) * rate * alpha;
                (0..4).for_each(|j| w[j] = keep * w[j] + step * row[j]);
                offset += step;
                owed += l1_ratio * rate * alpha;
                if t % 40 == 39 {
                    (0..4).for_each(|j| (w[j], paid[j]) = charge(w[j], owed, paid[j]));
                }
            }
            for (ours, theirs) in fit.model.weights.row(class as usize).iter().zip(w) {
                assert!((ours - theirs).abs() < 1e-13, "{class}: {ours} {theirs}");
            }
            assert!((fit.model.offsets[class as usize] - offset).abs() < 1e-13);
        }
    }

    /// \[Tsuruoka2009\]: max(0, w − (u + q)) of a positive weight, min(0, w + (u − q)) of a negative one.
    #[test]
    fn the_penalty_is_clipped_as_published() {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let mut uniform = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        let (mut clipped, mut kept) = (0, 0);
        for _ in 0..2000 {
            let owed = uniform(0.0, 2.0);
            let (weight, paid) = (uniform(-2.0, 2.0), uniform(-owed, owed));
            let expected = if weight > 0.0 {
                (weight - (owed + paid)).max(0.0)
            } else {
                (weight + (owed - paid)).min(0.0)
            };
            let after = paid + (expected - weight);
            assert_eq!(charge(weight, owed, paid), (expected, after), "{weight} {owed} {paid}");
            if expected == 0.0 { clipped += 1 } else { kept += 1 }
        }
        assert!(clipped > 500 && kept > 500, "{clipped} {kept}");
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
