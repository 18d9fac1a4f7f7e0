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
mod tests;
