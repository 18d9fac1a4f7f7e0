//! Feed-forward networks: ReLU layers and a sigmoid, softmax or ReLU head. They are trained in
//! `feedforward/train`.

mod kernels;
mod layer_sums;
pub mod scalar;
pub mod train;

use ndarray::{Array2, ArrayView2};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;

use crate::{
    gaussian_nb::arg_max,
    neural::feedforward::{
        kernels::{Pass, forward},
        scalar::Scalar,
    },
};

/// The activation of the last layer and the corresponding loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// One sigmoid unit for two classes; binary cross-entropy.
    Sigmoid,
    /// One softmax unit per class; cross-entropy.
    Softmax(usize),
    /// ReLU units; mean squared error over rows and units (autoencoders).
    Rectified(usize),
}

impl Head {
    /// Units of the last layer.
    pub fn units(self) -> usize {
        match self {
            Self::Sigmoid => 1,
            Self::Softmax(n) | Self::Rectified(n) => n,
        }
    }
}

/// The position of a layer in the network's parameters: its matrix (outputs × inputs, row-major) begins at
/// `weights`, its offsets (one per output) at `offsets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Units of the layer below.
    pub inputs: usize,
    /// Units.
    pub outputs: usize,
    /// Index of the matrix.
    pub weights: usize,
    /// Index of the offsets.
    pub offsets: usize,
}

/// Sizes of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    layers: Vec<Layer>,
    head: Head,
}

impl Shape {
    /// A network with the given hidden layers.
    ///
    /// # Panics
    /// If a layer has no unit.
    pub fn new(inputs: usize, hidden: &[usize], head: Head) -> Self {
        let sizes: Vec<usize> =
            [inputs].into_iter().chain(hidden.iter().copied()).chain([head.units()]).collect();
        assert!(sizes.iter().all(|&n| n > 0), "a layer without units: {sizes:?}");
        let mut next = 0;
        let place = |pair: &[usize]| {
            let (inputs, outputs) = (pair[0], pair[1]);
            let (weights, offsets) = (next, next + inputs * outputs);
            next = offsets + outputs;
            Layer { inputs, outputs, weights, offsets }
        };
        Self { layers: sizes.windows(2).map(place).collect(), head }
    }

    /// \[Yedida2024\] fig. 5: `n_layers` hidden layers of `n_units` each, then a sigmoid for two
    /// classes or a softmax for more.
    pub fn classifier(inputs: usize, n_layers: usize, n_units: usize, classes: usize) -> Self {
        let head = if classes == 2 { Head::Sigmoid } else { Head::Softmax(classes) };
        Self::new(inputs, &vec![n_units; n_layers], head)
    }

    /// The layers, the lowest first.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The head.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Units of the input.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// The last layer.
    pub fn last(&self) -> Layer {
        self.layers[self.layers.len() - 1]
    }

    /// Total number of weights and offsets.
    pub fn n_parameters(&self) -> usize {
        self.last().offsets + self.last().outputs
    }

    /// Units of the widest layer, including the input.
    pub(crate) fn widest(&self) -> usize {
        self.layers.iter().map(|l| l.outputs).fold(self.inputs(), usize::max)
    }
}

/// A network with its parameters, in single or double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Network<T> {
    pub(crate) shape: Shape,
    pub(crate) parameters: Vec<T>,
}

impl<T: Scalar> Network<T> {
    /// Weights uniform in ±√(6 / (inputs + outputs)) \[Glorot2010\], offsets 0, as in Keras.
    pub fn glorot(shape: Shape, rng: &mut ChaCha12Rng) -> Self {
        let mut parameters = vec![T::ZERO; shape.n_parameters()];
        for layer in &shape.layers {
            let limit = (6.0 / (layer.inputs + layer.outputs) as f64).sqrt();
            for w in &mut parameters[layer.weights..layer.offsets] {
                *w = T::of(limit * (2.0 * rng.random::<f64>() - 1.0));
            }
        }
        Self { shape, parameters }
    }

    /// A network with given parameters, layer by layer: matrix (outputs × inputs), then offsets.
    ///
    /// # Panics
    /// If their number does not fit the shape.
    pub fn with_parameters(shape: Shape, parameters: Vec<T>) -> Self {
        assert_eq!(parameters.len(), shape.n_parameters(), "parameters of the shape");
        Self { shape, parameters }
    }

    /// The sizes.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// All parameters, laid out as [`Network::with_parameters`] says.
    pub fn parameters(&self) -> &[T] {
        &self.parameters
    }

    /// All parameters, mutable.
    pub fn parameters_mut(&mut self) -> &mut [T] {
        &mut self.parameters
    }

    /// The last layer's matrix W^\[L\] without offsets (outputs × inputs).
    pub fn last_kernel(&self) -> &[T] {
        let last = self.shape.last();
        &self.parameters[last.weights..last.offsets]
    }

    /// The outputs of layer `level` for each row of `x` (n × units): level 0 is the input, the highest level
    /// the head's probabilities or values.
    ///
    /// # Panics
    /// If `x` does not have one column per input, or there is no such layer.
    pub fn activations(&self, x: ArrayView2<'_, f64>, level: usize) -> Array2<f64> {
        assert_eq!(x.ncols(), self.shape.inputs(), "one column an input");
        assert!(level <= self.shape.layers.len(), "a layer of the network");
        let units = if level == 0 { x.ncols() } else { self.shape.layers[level - 1].outputs };
        let mut out = Array2::zeros((x.nrows(), units));
        let mut pass = Pass::new(&self.shape, x.nrows().clamp(1, BLOCK));
        let mut features = vec![T::ZERO; x.ncols()];
        for (first, block) in x.axis_chunks_iter(ndarray::Axis(0), BLOCK).enumerate() {
            for (s, row) in block.rows().into_iter().enumerate() {
                for (feature, v) in features.iter_mut().zip(row) {
                    *feature = T::of(*v);
                }
                pass.set_input(s, &features);
            }
            forward(&self.shape, &self.parameters, &mut pass, block.nrows());
            for s in 0..block.nrows() {
                for unit in 0..units {
                    out[[first * BLOCK + s, unit]] = pass.get(level, s, unit).to_f64();
                }
            }
        }
        out
    }

    /// The outputs of the head for each row (n × units).
    pub fn outputs(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        self.activations(x, self.shape.layers.len())
    }

    /// Activations a^\[L−1\] of the layer below the head (n × units).
    pub fn last_hidden(&self, x: ArrayView2<'_, f64>) -> Array2<f64> {
        self.activations(x, self.shape.layers.len() - 1)
    }

    /// The class of each row: for a sigmoid whether the output is above ½ (NaN is not), otherwise the first
    /// largest output.
    pub fn classify(&self, x: ArrayView2<'_, f64>) -> Vec<u32> {
        let outputs = self.outputs(x);
        let class = |row: ndarray::ArrayView1<'_, f64>| match self.shape.head {
            Head::Sigmoid => u32::from(row[0] > 0.5),
            _ => arg_max(row.iter().copied()),
        };
        outputs.rows().into_iter().map(class).collect()
    }
}

/// Number of rows evaluated together outside training.
const BLOCK: usize = 128;
