//! The small AlexNet of \[MacKay2019\] with weights that respond to hyper-parameters.

use models::neural::{
    alexnet::{AlexNet, Convolution, Dense},
    augment::Rate,
    regularisation::Regularisation,
};
use tch::{TchError, Tensor};

use crate::{
    example_masks::ExampleMasks,
    hyper::{Builder, HyperConvolution, HyperLinear, Shape},
};

/// The layers.
#[derive(Debug)]
pub struct Network {
    convolutions: Vec<(Convolution, HyperConvolution)>,
    dense: Vec<(Dense, HyperLinear)>,
}

/// Dropout of activations: the rates of each example, and the generator.
#[derive(Debug)]
pub struct Drops<'a> {
    /// The rates, one set for each image.
    pub regularisations: &'a [Regularisation],
    /// Draws masks.
    pub masks: &'a mut ExampleMasks,
}

impl Drops<'_> {
    fn rates(&self, of: impl Fn(&Regularisation) -> f64) -> Vec<Rate> {
        self.regularisations.iter().map(|own| Rate::new(of(own))).collect()
    }
}

impl Network {
    /// Lists the parameters of a network. As in the listings of \[MacKay2019\] appendix G, elementary outputs
    /// have a factor in convolutions; elsewhere the architecture decides.
    pub fn new(architecture: &AlexNet, builder: &mut Builder<'_>) -> Self {
        let convolutions = architecture.convolutions().map(|layer| {
            let Convolution { from, to, stride, .. } = layer;
            let shape = Shape { inputs: from, outputs: to, side: 3, stride, padding: 1 };
            (layer, HyperConvolution::new(builder, shape, true))
        });
        let dense = architecture.dense().map(|layer| {
            (layer, HyperLinear::new(builder, layer.from, layer.to, architecture.dense_factor))
        });
        Self { convolutions: convolutions.into(), dense: dense.into() }
    }

    /// The logits (B×classes) of images (B×3×S×S), with the hyper-parameters of each (B×n) or of all
    /// (1×n). Nothing is dropped without `drops`.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        parts: &[Tensor],
        images: &Tensor,
        hypers: Option<&Tensor>,
        mut drops: Option<Drops<'_>>,
    ) -> Result<Tensor, TchError> {
        let mut x = images.shallow_clone();
        for (i, (layer, convolution)) in self.convolutions.iter().enumerate() {
            x = convolution.forward(parts, &x, hypers)?.f_relu_()?;
            if layer.pooled {
                x = x.f_max_pool2d([2, 2], [2, 2], [0, 0], [1, 1], false)?;
            }
            if let Some(drops) = &mut drops {
                let rates = drops.rates(|own| own.channels[i]);
                x = x.f_mul(&drops.masks.channels(&rates, &x)?)?;
            }
        }
        x = x.f_flatten(1, -1)?;
        for (i, (layer, linear)) in self.dense.iter().enumerate() {
            if let (Some(drops), true) = (&mut drops, layer.dropped) {
                let rates = drops.rates(|own| own.dense[i]);
                x = x.f_mul(&drops.masks.values(&rates, &x)?)?;
            }
            x = linear.forward(parts, &x, hypers)?;
            if !layer.last {
                x = x.f_relu_()?;
            }
        }
        Ok(x)
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        self.convolutions.iter().for_each(|(_, layer)| layer.mark(marks));
        self.dense.iter().for_each(|(_, layer)| layer.mark(marks));
    }
}
