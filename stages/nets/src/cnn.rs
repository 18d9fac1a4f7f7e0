//! The convolutional network of `models::neural::cnn` in tensors: its parameters and its output.

use models::neural::{
    cnn::CnnArchitecture,
    residual::{Initialisation, initialise},
};
use rand_chacha::ChaCha12Rng;
use tch::{TchError, Tensor};

use super::{
    dropout::Masks,
    parameters::{Listing, Parameters, Placement},
};

/// A network: four convolutions, the wide layer and the output layer, each weight followed by its bias.
#[derive(Debug)]
pub struct Cnn {
    /// All trained parameters.
    pub weights: Parameters,
}

/// The dropout masks of a training; `None` if nothing is dropped.
#[derive(Debug)]
pub struct Drops {
    /// The mask after the pooling of each group.
    pub convolution: Option<Masks>,
    /// The mask after the wide layer.
    pub wide: Option<Masks>,
}

impl Drops {
    /// No dropout, as in evaluation.
    pub const NONE: Self = Self { convolution: None, wide: None };
}

fn dropped(x: Tensor, masks: &mut Option<Masks>) -> Result<Tensor, TchError> {
    match masks {
        Some(masks) => x.f_mul(&masks.draw(&x)?),
        None => Ok(x),
    }
}

impl Cnn {
    /// An untrained network for images with this many channels and pixels along a side. Weights are uniform
    /// with variance 2/(inputs + outputs) \[Glorot2010\], biases 0, as in the example.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(
        architecture: &CnnArchitecture,
        (channels, size): (usize, usize),
        neurons: usize,
        classes: usize,
        placement: Placement,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, TchError> {
        let [a, b] = architecture.widths;
        let mut listing = Listing::default();
        let mut add = |from: usize, to: usize, area: usize| {
            let (inputs, outputs) = (from * area, to * area);
            let how = Initialisation::Xavier;
            let values = initialise::weights(how, to * inputs, inputs, outputs, rng);
            let side = area.isqrt() as i64;
            let shape = [to as i64, from as i64, side, side];
            // Fully connected layers are not treated as 1×1 convolutions: their weights are matrices.
            listing.add(if area == 1 { &shape[..2] } else { &shape }, &values);
            listing.add(&[to as i64], &vec![0.0; to]);
        };
        for (from, to) in [(channels, a), (a, a), (a, b), (b, b)] {
            add(from, to, 9);
        }
        add(architecture.pooled(size), neurons, 1);
        add(neurons, classes, 1);
        Ok(Self { weights: Parameters::new(&listing, placement)? })
    }

    /// The logits (n×classes) of images (n×C×S×S).
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(&self, images: &Tensor, drops: &mut Drops) -> Result<Tensor, TchError> {
        let parts = &self.weights.parts;
        let convolved = |x: &Tensor, layer: usize, padding: i64| {
            let (weight, bias) = (&parts[2 * layer], &parts[2 * layer + 1]);
            x.f_conv2d(weight, Some(bias), [1, 1], [padding; 2], [1, 1], 1)?.f_relu_()
        };
        let mut x = images.shallow_clone();
        for group in 0..2 {
            let same = convolved(&x, 2 * group, 1)?;
            let inside = convolved(&same, 2 * group + 1, 0)?;
            let pooled = inside.f_max_pool2d([2, 2], [2, 2], [0, 0], [1, 1], false)?;
            x = dropped(pooled, &mut drops.convolution)?;
        }
        let flat = x.f_flatten(1, -1)?;
        let wide = flat.f_linear(&parts[8], Some(&parts[9]))?.f_relu_()?;
        dropped(wide, &mut drops.wide)?.f_linear(&parts[10], Some(&parts[11]))
    }
}
