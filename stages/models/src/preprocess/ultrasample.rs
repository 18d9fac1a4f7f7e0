//! "Ultrasample" \[Yedida2021\]: fuzzy over-sampling, flipped labels, and an autoencoder's code in place of
//! the features.

use ndarray::{Array2, ArrayView2};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};

use super::fuzzy::Fuzzy;
use crate::{
    neural::feedforward::{
        Head, Network, Shape,
        train::{Adam, EarlyStop, Optimiser, Rows, Trained, Training},
    },
    samples::Samples,
};

/// Hidden layers of the autoencoder; the third is the code.
const HIDDEN: [usize; 5] = [10, 7, 5, 7, 10];
/// Layer whose activations are the code.
const CODE: usize = 3;
/// Loss above which a training counts as failed and is restarted.
const FAILED: f64 = 1e3;
/// Maximum number of trainings.
const TRIES: usize = 5;

/// An autoencoder input-10-7-5-7-10-input of ReLU layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Autoencoder {
    network: Network<f32>,
}

/// How the autoencoder is trained: Adam (rate 0.001) on the mean squared error, batches of 32, at most 500
/// epochs, with early stopping after 10 epochs that do not lower the training loss by 1e-3.
pub const TRAINING: Training = Training {
    epochs: 500,
    batch: 32,
    optimiser: Optimiser::Adam(Adam::keras(1e-3)),
    penalty: 0.0,
    stop: Some(EarlyStop { patience: 10, min_delta: 1e-3 }),
};

impl Autoencoder {
    /// Trains on rows (n×d); while the loss is above 1000 (or NaN), training is restarted from new weights,
    /// five times at most.
    pub fn fit(
        x: ArrayView2<'_, f64>,
        training: &Training,
        rng: &mut ChaCha12Rng,
    ) -> (Self, Trained) {
        let rows = Rows::reconstructed(x);
        let shape = Shape::new(x.ncols(), &HIDDEN, Head::Rectified(x.ncols()));
        let mut tries = 0;
        loop {
            let mut network = Network::glorot(shape.clone(), rng);
            let trained = network.train(&rows, training, rng);
            tries += 1;
            if tries == TRIES || trained.loss.is_none_or(|loss| loss <= FAILED) {
                return (Self { network }, trained);
            }
        }
    }

    /// The five numbers of the middle layer for each row (n×5).
    pub fn encode(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        self.network.activations(x, CODE)
    }

    /// Its reconstruction of each row (n×d).
    pub fn decode(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        self.network.outputs(x)
    }
}

/// Flipped labels: 1 − y for two classes. For more, the authors' code takes the largest entry of 1 − one-hot,
/// which is class 1 where the label was 0, and class 0 everywhere else.
pub fn exchange_labels(y: &[u32]) -> Vec<u32> {
    y.iter().map(|&label| u32::from(label == 0)).collect()
}

/// Whether labels are flipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exchange {
    /// Labels of training and test rows are flipped, as published: scores then refer to the other class.
    TrainAndTest,
    /// Labels stay unchanged.
    Never,
}

/// Over-samples `train`, flips labels if `exchange` says so, fits an autoencoder to the training rows and
/// replaces the features of both parts by its code. Test rows are never over-sampled.
pub fn ultrasample(
    train: &mut Samples,
    test: &mut Samples,
    exchange: Exchange,
    rng: &mut ChaCha12Rng,
) {
    Fuzzy::Code.apply(train);
    if exchange == Exchange::TrainAndTest {
        train.y = exchange_labels(&train.y);
        test.y = exchange_labels(&test.y);
    }
    let (autoencoder, _) = Autoencoder::fit(train.x.view(), &TRAINING, rng);
    train.x = autoencoder.encode(train.x.view());
    test.x = autoencoder.encode(test.x.view());
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn rows(n: usize) -> Array2<f64> {
        // Two hidden numbers behind eight features in [0, 1].
        Array2::from_shape_fn((n, 8), |(i, j)| {
            let (a, b) = ((i as f64 * 0.37).sin(), (i as f64 * 0.91).cos());
            0.5 + 0.2 * a * (j as f64).cos() + 0.2 * b * (j as f64).sin()
        })
    }

    #[test]
    fn an_autoencoder_learns_more_than_the_mean() {
        let x = rows(300);
        let training = Training { stop: None, ..TRAINING };
        let variance = x.var_axis(ndarray::Axis(0), 0.0).mean().unwrap();
        // ReLU outputs that are dead initially stay dead: most starts fail, as in the original.
        let learns = |seed| {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            let (autoencoder, _) = Autoencoder::fit(x.view(), &training, &mut rng);
            let error = (autoencoder.decode(x.view()) - &x).mapv(|v| v * v).mean().unwrap();
            error < 0.5 * variance
        };
        assert!((0..20).any(learns));
    }

    #[test]
    fn both_parts_are_encoded_and_only_training_rows_are_added() {
        let y = |n: usize| (0..n).map(|i| u32::from(i % 5 == 0)).collect::<Vec<_>>();
        let mut train = Samples::new(rows(50), y(50), 2).unwrap();
        let mut test = Samples::new(rows(20), y(20), 2).unwrap();
        let mut rng = ChaCha12Rng::seed_from_u64(3);
        ultrasample(&mut train, &mut test, Exchange::TrainAndTest, &mut rng);
        assert_eq!(test.counts(), [4, 16]);
        assert_eq!(train.counts(), [10 + 10 * 2 * (5 + 2 + 1), 40]);
        assert_eq!((train.x.ncols(), test.x.dim()), (5, (20, 5)));
    }
}
