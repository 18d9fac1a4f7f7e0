//! Lists the parameters of a network that is being built, and defines the common part of its layers'
//! responses.

use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Distribution as _, StandardNormal};
use tch::{TchError, Tensor};

use crate::parameters::Listing;

/// Standard deviation of the initial weights from hyper-parameters to scales, \[MacKay2019\] app. G.
const MAP_DEVIATION: f64 = 0.01;

/// The random stream and the parameters of a network that is being built.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The parameters so far.
    pub listing: Listing,
    /// Number of hyper-parameters to which the weights respond; 0 for a plain network.
    hypers: usize,
    rng: &'a mut ChaCha12Rng,
}

/// How a layer responds to hyper-parameters.
#[derive(Debug, Clone)]
pub(super) struct Response {
    /// The map from hyper-parameters to scales (s×n).
    pub map: usize,
    /// A factor of the elementary output, which the public code has.
    factor: Option<usize>,
}

impl<'a> Builder<'a> {
    /// A builder for a network that responds to this many hyper-parameters.
    pub fn new(hypers: usize, rng: &'a mut ChaCha12Rng) -> Self {
        Self { listing: Listing::default(), hypers, rng }
    }

    /// Number of copies of each weight: 1 for a plain network, 2 for elementary weights and those of the
    /// response.
    pub(super) fn copies(&self) -> usize {
        if self.hypers == 0 { 1 } else { 2 }
    }

    /// Adds a parameter, uniform within ±`most`; returns its index.
    pub fn uniform(&mut self, shape: &[usize], most: f64) -> usize {
        let count = shape.iter().product();
        let values: Vec<f64> =
            (0..count).map(|_| most * (2.0 * self.rng.random::<f64>() - 1.0)).collect();
        self.listing.add(&shape.iter().map(|&n| n as i64).collect::<Vec<_>>(), &values)
    }

    /// Adds the response of a layer with this many scales, if the network responds.
    pub(super) fn response(&mut self, scales: usize, factor: bool) -> Option<Response> {
        if self.hypers == 0 {
            return None;
        }
        let drawn = StandardNormal.sample_iter(&mut *self.rng).take(scales * self.hypers);
        let values: Vec<f64> = drawn.map(|z: f64| MAP_DEVIATION * z).collect();
        let map = self.listing.add(&[scales as i64, self.hypers as i64], &values);
        let factor = factor.then(|| self.listing.add(&[], &[1.0]));
        Some(Response { map, factor })
    }
}

impl Response {
    /// Scales (B×s) for hyper-parameters (B×n).
    pub fn scales(&self, parts: &[Tensor], hypers: &Tensor) -> Result<Tensor, TchError> {
        hypers.f_linear(&parts[self.map], None::<&Tensor>)
    }

    /// The elementary output times its factor.
    pub fn scaled(&self, parts: &[Tensor], x: Tensor) -> Result<Tensor, TchError> {
        match self.factor {
            Some(factor) => x.f_mul(&parts[factor]),
            None => Ok(x),
        }
    }

    /// Marks the map, and the second halves of the layer's weights.
    pub fn mark(&self, weights: &[usize], marks: &mut [Vec<f32>]) {
        for &part in weights {
            let half = marks[part].len() / 2;
            marks[part][half..].fill(1.0);
        }
        marks[self.map].fill(1.0);
    }
}
