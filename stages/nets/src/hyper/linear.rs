//! A linear layer whose weights respond to hyper-parameters, \[MacKay2019\] eqs. (10) and (11).

use tch::{TchError, Tensor};

use super::builder::{Builder, Response};

/// A linear layer, or several applied to the same input. Elementary weights and those of the response are
/// stored one after the other in one matrix, so that one product computes both.
#[derive(Debug, Clone)]
pub struct HyperLinear {
    /// W (o×i), or `W_elem` over `W_hyper` (2o×i).
    pub(super) weight: usize,
    /// b (o), or `b_elem` and `b_hyper` (2o).
    bias: usize,
    response: Option<Response>,
    outputs: i64,
}

impl HyperLinear {
    /// A layer between these numbers of units, with initial weights uniform within ±1/√inputs, with or
    /// without a factor of the elementary output.
    pub fn new(builder: &mut Builder<'_>, inputs: usize, outputs: usize, factor: bool) -> Self {
        let most = 1.0 / (inputs as f64).sqrt();
        let rows = builder.copies() * outputs;
        let weight = builder.uniform(&[rows, inputs], most);
        let bias = builder.uniform(&[rows], most);
        let response = builder.response(2 * outputs, factor);
        Self { weight, bias, response, outputs: outputs as i64 }
    }

    /// The outputs (…×B×o) for x (…×B×i) and the hyper-parameters of each example (B×n), or of all (1×n).
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
        match (&self.response, hypers) {
            (Some(response), Some(hypers)) => {
                let gates = self.gates(parts, response, hypers)?;
                let both = x.f_linear(&parts[self.weight], None::<&Tensor>)?;
                let own = response.scaled(parts, both.f_narrow(-1, 0, self.outputs)?)?;
                let moved = both.f_narrow(-1, self.outputs, self.outputs)?;
                own.f_add(&gates.bias)?.f_addcmul(&gates.scale, &moved)
            }
            (response, _) => {
                let (weight, bias) = self.elementary(parts)?;
                let own = x.f_linear(&weight, Some(&bias))?;
                response.as_ref().map_or(Ok(own.shallow_clone()), |r| r.scaled(parts, own))
            }
        }
    }

    /// The layer's response to hyper-parameters (B×n), if there are any and the layer responds.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub(super) fn gated(
        &self,
        parts: &[Tensor],
        hypers: Option<&Tensor>,
    ) -> Result<Option<Gates>, TchError> {
        let both = self.response.as_ref().zip(hypers);
        both.map(|(response, hypers)| self.gates(parts, response, hypers)).transpose()
    }

    fn gates(
        &self,
        parts: &[Tensor],
        response: &Response,
        hypers: &Tensor,
    ) -> Result<Gates, TchError> {
        let (scales, bias, outputs) =
            (response.scales(parts, hypers)?, &parts[self.bias], self.outputs);
        let own = response.scaled(parts, bias.f_narrow(0, 0, outputs)?)?;
        let moved = bias.f_narrow(0, outputs, outputs)?;
        let bias = own.f_addcmul(&scales.f_narrow(1, outputs, outputs)?, &moved)?;
        Ok(Gates { scale: scales.f_narrow(1, 0, outputs)?, bias })
    }

    /// `W_elem` and `b_elem`.
    ///
    /// # Errors
    /// If libtorch fails.
    pub(super) fn elementary(&self, parts: &[Tensor]) -> Result<(Tensor, Tensor), TchError> {
        let own = |part: usize| parts[part].f_narrow(0, 0, self.outputs);
        Ok((own(self.weight)?, own(self.bias)?))
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        if let Some(response) = &self.response {
            response.mark(&[self.weight, self.bias], marks);
        }
    }
}

/// The response of a layer to hyper-parameters.
#[derive(Debug)]
pub(super) struct Gates {
    /// Vλ (B×o), by which the outputs of `W_hyper` are multiplied.
    pub scale: Tensor,
    /// `b_elem + Cλ ⊙ b_hyper` (B×o).
    pub bias: Tensor,
}
