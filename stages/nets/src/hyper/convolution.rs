//! A convolution whose filters respond to hyper-parameters, channel by channel, \[MacKay2019\] app. C.

use tch::{TchError, Tensor};

use super::builder::{Builder, Response};

/// A square convolution. Elementary filters and those of the response are stored one after the other, so that
/// one convolution computes both.
#[derive(Debug, Clone)]
pub struct HyperConvolution {
    /// Filters (o×i×k×k), or elementary ones over the response's (2o×i×k×k).
    weight: usize,
    /// b (o), or `b_elem` and `b_hyper` (2o).
    bias: usize,
    response: Option<Response>,
    outputs: i64,
    stride: i64,
    padding: i64,
}

/// The shape of a convolution.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// Side of a filter.
    pub side: usize,
    /// Stride.
    pub stride: usize,
    /// Zero padding around the image.
    pub padding: usize,
}

impl HyperConvolution {
    /// A convolution with initial weights uniform within ±1/√(inputs k²), with or without a factor of the
    /// elementary output.
    pub fn new(builder: &mut Builder<'_>, shape: Shape, factor: bool) -> Self {
        let Shape { inputs, outputs, side, stride, padding } = shape;
        let most = 1.0 / ((inputs * side * side) as f64).sqrt();
        let rows = builder.copies() * outputs;
        let weight = builder.uniform(&[rows, inputs, side, side], most);
        let bias = builder.uniform(&[rows], most);
        let response = builder.response(2 * outputs, factor);
        let (stride, padding) = (stride as i64, padding as i64);
        Self { weight, bias, response, outputs: outputs as i64, stride, padding }
    }

    /// The outputs (B×o×H'×W') for images (B×i×H×W) and the hyper-parameters of each (B×n), or of all (1×n).
    /// Without hyper-parameters only the elementary outputs.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        parts: &[Tensor],
        x: &Tensor,
        hypers: Option<&Tensor>,
    ) -> Result<Tensor, TchError> {
        let (outputs, weight, bias) = (self.outputs, &parts[self.weight], &parts[self.bias]);
        let Some(response) = &self.response else {
            return self.convolve(x, weight, Some(bias));
        };
        let own_bias = bias.f_narrow(0, 0, outputs)?;
        let Some(hypers) = hypers else {
            let own = self.convolve(x, &weight.f_narrow(0, 0, outputs)?, Some(&own_bias))?;
            return response.scaled(parts, own);
        };
        let scales = response.scales(parts, hypers)?;
        let moved =
            scales.f_narrow(1, outputs, outputs)?.f_mul(&bias.f_narrow(0, outputs, outputs)?)?;
        let bias = moved.f_add(&response.scaled(parts, own_bias)?)?;
        let over = |t: &Tensor| t.f_unsqueeze(-1)?.f_unsqueeze(-1);
        let both = self.convolve(x, weight, None)?;
        let own = response.scaled(parts, both.f_narrow(1, 0, outputs)?)?.f_add(&over(&bias)?)?;
        let scale = over(&scales.f_narrow(1, 0, outputs)?)?;
        own.f_addcmul(&scale, &both.f_narrow(1, outputs, outputs)?)
    }

    fn convolve(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
    ) -> Result<Tensor, TchError> {
        x.f_conv2d(weight, bias, [self.stride; 2], [self.padding; 2], [1, 1], 1)
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        if let Some(response) = &self.response {
            response.mark(&[self.weight, self.bias], marks);
        }
    }
}
