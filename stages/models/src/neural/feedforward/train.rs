//! Trains feed-forward networks: epochs of shuffled minibatches, SGD or Adam, early stopping, as in Keras.

use ndarray::ArrayView2;
use numerics::linalg::simd_dispatch::wide;
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::neural::feedforward::{
    Head, Network,
    kernels::{Pass, Wanted, backward, head_delta, loss, run},
    scalar::Scalar,
};

/// The update rule of the parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimiser {
    /// w ← w − rate · g.
    Sgd {
        /// Learning rate.
        rate: f64,
    },
    /// \[Kingma2015\].
    Adam(Adam),
}

/// The settings of Adam, in the form with ε added to the uncorrected root (the last line of section 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// Learning rate.
    pub rate: f64,
    /// Decay rate of the first moment.
    pub beta1: f64,
    /// Decay rate of the second moment.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub epsilon: f64,
}

impl Adam {
    /// β₁ = 0.9, β₂ = 0.999 and ε = 1e-7, as in Keras.
    #[must_use]
    pub const fn keras(rate: f64) -> Self {
        Self { rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-7 }
    }
}

/// Early stopping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyStop {
    /// Number of consecutive epochs without improvement after which training ends.
    pub patience: usize,
    /// A mean training loss counts as better if it is lower by more than this.
    pub min_delta: f64,
}

/// How a network is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// Maximum number of epochs.
    pub epochs: usize,
    /// Minibatch size; the last batch of an epoch has the remaining rows.
    pub batch: usize,
    /// Update rule.
    pub optimiser: Optimiser,
    /// α of the penalty α/2 ‖W‖² on the sum of a batch's losses, over the matrices without the offsets, as in
    /// scikit-learn's perceptrons; 0 for none. Early stopping uses losses without it.
    pub penalty: f64,
    /// Early stopping, on the mean loss of an epoch's batches.
    pub stop: Option<EarlyStop>,
}

impl Training {
    /// SGD with rate 0.01 and batches of 128, as the authors of \[Yedida2024\] train classifiers.
    pub fn sgd(epochs: usize) -> Self {
        let optimiser = Optimiser::Sgd { rate: 0.01 };
        Self { epochs, batch: 128, optimiser, penalty: 0.0, stop: None }
    }
}

/// Rows and targets in the precision of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<T> {
    x: Vec<T>,
    columns: usize,
    /// The classes; without them, the targets are the rows themselves.
    classes: Option<Vec<u32>>,
}

impl<T: Scalar> Rows<T> {
    fn features(x: ArrayView2<'_, f64>) -> Vec<T> {
        x.iter().map(|&v| T::of(v)).collect()
    }

    /// Rows (n×d) with their classes.
    ///
    /// # Panics
    /// If rows and labels differ in number.
    pub fn classified(x: ArrayView2<'_, f64>, y: &[u32]) -> Self {
        assert_eq!(x.nrows(), y.len(), "one label a row");
        Self { x: Self::features(x), columns: x.ncols(), classes: Some(y.to_vec()) }
    }

    /// Rows (n×d) whose targets are the rows themselves.
    pub fn reconstructed(x: ArrayView2<'_, f64>) -> Self {
        Self { x: Self::features(x), columns: x.ncols(), classes: None }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.x.len() / self.columns.max(1)
    }

    fn wanted(&self) -> Wanted<'_> {
        self.classes.as_deref().map_or(Wanted::Input, Wanted::Classes)
    }

    /// Whether a network with this input and head can be trained on the rows.
    fn suits(&self, inputs: usize, head: Head) -> bool {
        let fits = match (&self.classes, head) {
            (Some(y), Head::Sigmoid) => y.iter().all(|&c| c < 2),
            (Some(y), Head::Softmax(n)) => y.iter().all(|&c| (c as usize) < n),
            (None, Head::Rectified(units)) => self.columns == units,
            _ => false,
        };
        fits && self.columns == inputs
    }
}

/// How a training ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trained {
    /// Number of epochs.
    pub epochs: usize,
    /// Mean loss over the last epoch's batches, each at the parameters of its step; only if early stopping
    /// needs it.
    pub loss: Option<f64>,
}

/// The state of a training between steps. Nothing is allocated after its construction.
struct Work<T> {
    pass: Pass<T>,
    gradient: Vec<T>,
    /// Adam's first and second moments.
    moments: [Vec<T>; 2],
    /// Number of steps.
    steps: i32,
    order: Vec<u32>,
}

impl<T: Scalar> Work<T> {
    fn new(network: &Network<T>, rows: &Rows<T>, training: &Training) -> Self {
        let n = network.parameters.len();
        let moments = if let Optimiser::Adam(_) = training.optimiser { n } else { 0 };
        Self {
            pass: Pass::new(&network.shape, training.batch.clamp(1, rows.n_rows().max(1))),
            gradient: vec![T::ZERO; n],
            moments: [vec![T::ZERO; moments], vec![T::ZERO; moments]],
            steps: 0,
            order: (0..rows.n_rows() as u32).collect(),
        }
    }
}

/// Changes the parameters by the gradient in `work`.
#[inline(always)]
fn update<T: Scalar>(parameters: &mut [T], work: &mut Work<T>, optimiser: Optimiser) {
    work.steps += 1;
    match optimiser {
        Optimiser::Sgd { rate } => {
            let rate = T::of(-rate);
            for (w, g) in parameters.iter_mut().zip(&work.gradient) {
                *w = rate.fused(*g, *w);
            }
        }
        Optimiser::Adam(Adam { rate, beta1: b1, beta2: b2, epsilon }) => {
            let correction = (1.0 - b2.powi(work.steps)).sqrt() / (1.0 - b1.powi(work.steps));
            let (rate, epsilon) = (T::of(rate * correction), T::of(epsilon));
            let (c1, c2) = (T::of(1.0 - b1), T::of(1.0 - b2));
            let [first, second] = &mut work.moments;
            let moments = first.iter_mut().zip(second);
            for ((w, g), (m, v)) in parameters.iter_mut().zip(&work.gradient).zip(moments) {
                *m = c1.fused(*g - *m, *m);
                *v = c2.fused(*g * *g - *v, *v);
                *w = *w - rate * *m / (v.root() + epsilon);
            }
        }
    }
}

/// Adds the gradient of α/(2n) ‖W‖² over the matrices, for a batch of `n` rows.
#[inline(always)]
fn penalise<T: Scalar>(network: &Network<T>, gradient: &mut [T], alpha: f64, n: usize) {
    let share = T::of(alpha / n as f64);
    for layer in network.shape.layers() {
        let matrix = layer.weights..layer.offsets;
        for (g, w) in gradient[matrix.clone()].iter_mut().zip(&network.parameters[matrix]) {
            *g = share.fused(*w, *g);
        }
    }
}

/// The gradient of the mean loss of the rows `batch`, left in `gradient`.
#[inline(always)]
fn batch_gradient<T: Scalar>(
    network: &Network<T>,
    rows: &Rows<T>,
    batch: &[u32],
    pass: &mut Pass<T>,
    gradient: &mut [T],
) {
    let (shape, parameters) = (&network.shape, network.parameters.as_slice());
    pass.set_inputs(&rows.x, rows.columns, batch);
    run(shape, parameters, pass, batch.len());
    head_delta(shape.head(), pass, rows.wanted(), batch);
    backward(shape, parameters, pass, batch.len(), gradient);
}

wide! {
    /// One epoch over the rows in `work.order`; returns the sum of their losses if `losses` is set.
    fn epoch['a, T: Scalar]['a, T](
        network: &'a mut Network<T>,
        rows: &'a Rows<T>,
        training: &'a Training,
        work: &'a mut Work<T>,
    ) -> f64 {
        let order = std::mem::take(&mut work.order);
        let mut total = 0.0;
        for batch in order.chunks(training.batch) {
            batch_gradient(network, rows, batch, &mut work.pass, &mut work.gradient);
            if training.stop.is_some() {
                total += loss(network.shape.head(), &work.pass, rows.wanted(), batch);
            }
            if training.penalty > 0.0 {
                penalise(network, &mut work.gradient, training.penalty, batch.len());
            }
            update(&mut network.parameters, work, training.optimiser);
        }
        work.order = order;
        total
    }
}

wide! {
    /// The gradient of the mean loss of all rows; returns that loss.
    fn whole['a, T: Scalar]['a, T](
        network: &'a Network<T>,
        rows: &'a Rows<T>,
        gradient: &'a mut [T],
    ) -> f64 {
        let order: Vec<u32> = (0..rows.n_rows() as u32).collect();
        let mut pass = Pass::new(&network.shape, order.len());
        batch_gradient(network, rows, &order, &mut pass, gradient);
        loss(network.shape.head(), &pass, rows.wanted(), &order) / order.len() as f64
    }
}

impl<T: Scalar> Network<T> {
    /// Trains on rows that are reshuffled in each epoch.
    ///
    /// DIFFERS: cross-entropies are differentiated at the head's input, without Keras's cut of
    /// probabilities at 1e-7, whose gradient vanishes: a row that is wrong beyond doubt still counts.
    ///
    /// # Panics
    /// If rows, targets and network do not fit together, or the batch size is 0.
    pub fn train(&mut self, rows: &Rows<T>, training: &Training, rng: &mut ChaCha12Rng) -> Trained {
        self.expect_suitable(rows);
        assert!(training.batch > 0, "a batch has a row");
        let mut work = Work::new(self, rows, training);
        let (mut best, mut waited, mut last) = (f64::INFINITY, 0, None);
        for made in 0..training.epochs {
            for i in (1..work.order.len()).rev() {
                work.order.swap(i, rng.random_range(0..=i as u32) as usize);
            }
            let total = epoch(self, rows, training, &mut work);
            let Some(stop) = training.stop else { continue };
            let mean = total / rows.n_rows() as f64;
            last = Some(mean);
            if mean + stop.min_delta < best {
                (best, waited) = (mean, 0);
            } else {
                waited += 1;
            }
            if waited >= stop.patience && made > 0 {
                return Trained { epochs: made + 1, loss: last };
            }
        }
        Trained { epochs: training.epochs, loss: last }
    }

    /// The mean loss of all rows and its gradient, laid out as the parameters are.
    ///
    /// # Panics
    /// If rows, targets and network do not fit together.
    pub fn loss_gradient(&self, rows: &Rows<T>, gradient: &mut [T]) -> f64 {
        self.expect_suitable(rows);
        assert_eq!(gradient.len(), self.parameters.len(), "one entry a parameter");
        whole(self, rows, gradient)
    }

    fn expect_suitable(&self, rows: &Rows<T>) {
        let (shape, n) = (&self.shape, rows.n_rows());
        assert!(n > 0 && rows.suits(shape.inputs(), shape.head()), "rows for this network");
    }
}

#[cfg(test)]
#[path = "train_tests.rs"]
mod tests;
