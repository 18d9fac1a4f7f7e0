//! A perceptron with one hidden layer for several classes: ReLU, dropout, softmax; trained by stochastic
//! gradient descent with momentum on minibatches.
//!
//! The networks of `feedforward` are small and process one sample per lane; here layers are wide, so units
//! lie in the lanes, and a step's gradient is applied as it is computed and never stored.

pub mod kernels;

use rand::{Rng as _, RngExt as _};
use rand_chacha::ChaCha12Rng;

use crate::{
    linear::class,
    neural::{
        feedforward::scalar::Scalar,
        mlp::kernels::{Batch, Layer, forward, step},
    },
};

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq)]
#[error("{name} is {value}: expected {expected}")]
pub struct MlpError {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The accepted values.
    pub expected: &'static str,
}

/// Settings whose values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MlpSettings {
    /// Hidden units.
    pub(crate) neurons: usize,
    /// Dropout rate of the hidden units.
    pub(crate) dropout: f64,
    /// Minibatch size.
    pub(crate) batch: usize,
    /// Learning rate.
    pub(crate) rate: f64,
    /// Momentum.
    pub(crate) momentum: f64,
}

impl MlpSettings {
    /// Hidden units, dropout rate, minibatch size, learning rate, momentum.
    ///
    /// # Errors
    /// If a count is 0, the learning rate not finite and positive, or a share not in \[0, 1).
    pub fn new(
        neurons: usize,
        dropout: f64,
        batch: usize,
        rate: f64,
        momentum: f64,
    ) -> Result<Self, MlpError> {
        let error = |name, value, expected| Err(MlpError { name, value, expected });
        for (name, value) in [("neurons", neurons), ("batch", batch)] {
            if value == 0 {
                return error(name, 0.0, "at least 1");
            }
        }
        for (name, value) in [("dropout", dropout), ("momentum", momentum)] {
            if !(0.0..1.0).contains(&value) {
                return error(name, value, "a number from 0 to below 1");
            }
        }
        if !(rate.is_finite() && rate > 0.0) {
            return error("learning rate", rate, "a finite positive number");
        }
        Ok(Self { neurons, dropout, batch, rate, momentum })
    }
}

/// A network while it is trained, and after, in single or double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp<T> {
    settings: MlpSettings,
    /// From the features to the hidden units, and from those to the classes.
    layers: [Layer<T>; 2],
    classes: usize,
    /// Rows seen in training.
    visits: u64,
}

impl<T: Scalar> Mlp<T> {
    /// Weights uniform in ±√(6 / (inputs + outputs)) \[Glorot2010\], offsets 0.
    pub fn new(
        features: usize,
        classes: usize,
        settings: MlpSettings,
        rng: &mut ChaCha12Rng,
    ) -> Self {
        let mut drawn = |inputs: usize, outputs: usize| {
            let limit = (6.0 / (inputs + outputs) as f64).sqrt();
            let mut layer = Layer::zeros(inputs, outputs);
            for i in 0..inputs {
                for o in 0..outputs {
                    let weight = limit * (2.0 * rng.random::<f64>() - 1.0);
                    layer.set_weight(i, o, T::of(weight));
                }
            }
            layer
        };
        let hidden = drawn(features, settings.neurons);
        let layers = [hidden, drawn(settings.neurons, classes)];
        Self { settings, layers, classes, visits: 0 }
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer<T>; 2] {
        &self.layers
    }

    /// The layers, to be changed.
    pub fn layers_mut(&mut self) -> &mut [Layer<T>; 2] {
        &mut self.layers
    }

    /// Rows seen in training: epochs times rows.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.layers.iter().all(Layer::is_finite)
    }

    /// Trains for `epochs` on rows (n×d, one after another) with labels below the number of classes,
    /// which are shuffled anew for each epoch. Ends with the epoch after which a weight is not finite.
    /// Momentum goes on from earlier trainings.
    ///
    /// # Panics
    /// If `x` does not hold as many rows as there are labels, or a label is not below the classes.
    pub fn train(&mut self, x: &[T], y: &[u32], epochs: usize, rng: &mut ChaCha12Rng) {
        let d = self.layers[0].inputs();
        assert_eq!(x.len(), y.len() * d, "one label a row");
        assert!(y.iter().all(|&label| (label as usize) < self.classes), "labels below the classes");
        let mut order: Vec<u32> = (0..y.len() as u32).collect();
        let mut batch = Batch::new();
        let (rate, momentum) = (T::of(self.settings.rate), T::of(self.settings.momentum));
        for _ in 0..epochs {
            for i in (1..order.len()).rev() {
                order.swap(i, rng.random_range(0..=i as u32) as usize);
            }
            for rows in order.chunks(self.settings.batch) {
                batch.load(x, d, rows);
                batch.labels.clear();
                batch.labels.extend(rows.iter().map(|&row| y[row as usize]));
                self.draw_mask(&mut batch, rng);
                step(&mut self.layers, &mut batch, rate, momentum);
            }
            self.visits += y.len() as u64;
            if !self.is_finite() {
                break;
            }
        }
    }

    /// Draws which hidden units are kept, for each row separately; the kept ones are scaled up to make up for
    /// the dropped ones. A unit is dropped with the configured probability, to a precision of 2⁻¹⁶.
    fn draw_mask(&self, batch: &mut Batch<T>, rng: &mut ChaCha12Rng) {
        let (dropout, width) = (self.settings.dropout, self.layers[0].width());
        batch.mask.clear();
        if dropout == 0.0 {
            return;
        }
        let (threshold, kept) = ((dropout * 65536.0) as u32, T::of(1.0 / (1.0 - dropout)));
        batch.mask.resize(batch.padded() * width, T::ZERO);
        for pair in batch.mask.chunks_exact_mut(2) {
            let bits = rng.next_u32();
            pair[0] = if bits & 0xffff < threshold { T::ZERO } else { kept };
            pair[1] = if bits >> 16 < threshold { T::ZERO } else { kept };
        }
    }

    /// The logits of each row (n×d, one after another): row after row, one value per class.
    pub fn scores(&self, x: &[T]) -> Vec<T> {
        let d = self.layers[0].inputs();
        let mut batch = Batch::new();
        let rows: Vec<u32> = (0..(x.len() / d) as u32).collect();
        let mut out = Vec::with_capacity(rows.len() * self.classes);
        for rows in rows.chunks(BLOCK) {
            batch.load(x, d, rows);
            forward(&self.layers, &mut batch);
            for s in 0..rows.len() {
                out.extend((0..self.classes).map(|c| batch.score(s, c)));
            }
        }
        out
    }

    /// The class of each row (n×d, one after another).
    pub fn classify(&self, x: &[T]) -> Vec<u32> {
        let scores = self.scores(x);
        let one = |row: &[T]| {
            let row: Vec<f64> = row.iter().map(|&v| v.to_f64()).collect();
            class(&row)
        };
        scores.chunks_exact(self.classes).map(one).collect()
    }
}

/// Number of rows evaluated together outside training.
const BLOCK: usize = 64;

#[cfg(test)]
#[path = "mlp_tests.rs"]
mod tests;
