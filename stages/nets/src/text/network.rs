//! An LSTM that predicts the next word, \[MacKay2019\] appendix D: its layers and their regularisation.

use models::neural::{
    augment::Rate,
    language::{Language, Regulariser, Regularisers},
};
use rand_chacha::ChaCha12Rng;
use tch::{Kind, TchError, Tensor};

use crate::{
    example_masks::ExampleMasks,
    hyper::{Builder, Drawn, HyperEmbedding, HyperLstm, Memory, Scan},
    parameters::{Parameters, Placement},
};

/// A language model.
#[derive(Debug)]
pub struct Network {
    embedding: HyperEmbedding,
    layers: Vec<HyperLstm>,
    /// Units of each layer.
    units: Vec<usize>,
    /// Weights (V×u), unless they are tied to the embedding.
    decoder: Option<usize>,
    bias: usize,
    regularisers: Regularisers,
    placement: Placement,
    /// Its parameters.
    pub weights: Parameters,
}

/// The output of a network for a segment.
#[derive(Debug)]
pub struct ForwardOutput {
    /// Logits of the next word (T·B×V).
    pub logits: Tensor,
    /// α times the mean square of the last outputs, and β times that of their changes.
    pub penalty: Option<Tensor>,
    /// The parts of the network that are not libtorch's to differentiate, from input to output.
    pub scans: Vec<Scan>,
}

impl Network {
    /// A network for this many words that responds to this many hyper-parameters (0: a plain one).
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn new(
        options: &Language,
        words: usize,
        (hypers, regularisers): (usize, Regularisers),
        placement: Placement,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, TchError> {
        let mut builder = Builder::new(hypers, rng);
        let embedding = HyperEmbedding::new(&mut builder, words, options.embedding);
        let units: Vec<usize> = (0..options.layers).map(|i| options.units_of(i)).collect();
        let inputs = std::iter::once(&options.embedding).chain(&units);
        let both = inputs.zip(&units);
        let layers = both.map(|(&from, &to)| HyperLstm::new(&mut builder, from, to)).collect();
        let last = *units.last().expect("there are layers");
        let most = 1.0 / (last as f64).sqrt();
        let decoder = (!options.tied).then(|| builder.uniform(&[words, last], most));
        let bias = builder.uniform(&[words], most);
        let weights = Parameters::new(&builder.listing, placement)?;
        Ok(Self { embedding, layers, units, decoder, bias, regularisers, placement, weights })
    }

    /// The initial state for a text with this many rows.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn blank(&self, rows: usize) -> Result<Vec<Memory>, TchError> {
        let zeros = |units: usize| {
            Tensor::f_zeros(
                [rows as i64, units as i64],
                (self.placement.kind, self.placement.device),
            )
        };
        let blank = |&units: &usize| Ok(Memory { hidden: zeros(units)?, cell: zeros(units)? });
        self.units.iter().map(blank).collect()
    }

    /// The logits after words (T×B), starting from a state, which is updated; with dropout if there are
    /// masks, and with penalties if requested. `scanned` says whether layers may be scans, which can be
    /// differentiated once.
    ///
    /// # Errors
    /// If shapes do not fit.
    pub fn forward(
        &self,
        words: &Tensor,
        hypers: &Drawn,
        mut masks: Option<&mut ExampleMasks>,
        penalised: bool,
        memory: &mut [Memory],
        scanned: bool,
    ) -> Result<ForwardOutput, TchError> {
        let (parts, response) = (&self.weights.parts, hypers.response.as_ref());
        let shared =
            |of| self.regularisers.position(of).map(|i| hypers.of(i).next().unwrap_or(0.0));
        let factors = match (&mut masks, shared(Regulariser::EmbeddingDropout)) {
            (Some(masks), Some(rate)) => {
                let each = parts[self.bias].f_unsqueeze(0)?;
                Some(masks.values(&[Rate::new(rate)], &each)?.f_transpose(0, 1)?)
            }
            _ => None,
        };
        let mut x = self.embedding.forward(parts, words, response, factors.as_ref())?;
        x = self.dropped(x, Regulariser::InputDropout, hypers, masks.as_deref_mut())?;
        let mut raw = x.shallow_clone();
        let mut scans = Vec::new();
        for (i, (layer, memory)) in self.layers.iter().zip(memory).enumerate() {
            let connections = match (&mut masks, shared(Regulariser::DropConnect)) {
                (Some(masks), Some(rate)) => {
                    let shape = layer.connections();
                    let all = Tensor::f_zeros([1], (self.placement.kind, self.placement.device))?;
                    let all = all.f_expand([1, shape[0] * shape[1]], false)?;
                    Some(masks.values(&[Rate::new(rate)], &all)?.f_view(shape)?)
                }
                _ => None,
            };
            let scans = scanned.then_some(&mut scans);
            raw = layer.forward(parts, &x, response, connections.as_ref(), memory, scans)?;
            let last = i + 1 == self.layers.len();
            let of = if last { Regulariser::OutputDropout } else { Regulariser::HiddenDropout };
            x = self.dropped(raw.shallow_clone(), of, hypers, masks.as_deref_mut())?;
        }
        let decoder = match self.decoder {
            Some(decoder) => parts[decoder].shallow_clone(),
            None => self.embedding.elementary(parts)?,
        };
        let flat = x.f_flatten(0, 1)?;
        let logits = flat.f_linear(&decoder, Some(&parts[self.bias]))?;
        let mut penalty = None;
        let mut add = |more: Tensor| -> Result<(), TchError> {
            penalty = Some(match penalty.take() {
                Some(sum) => more.f_add(&sum)?,
                None => more,
            });
            Ok(())
        };
        // DIFFERS: eqs. (63) and (64) of the STN paper print norms; the mean squares are those of the language
        // models that it builds on, whose factors its ranges are for.
        if let (true, Some(alpha)) = (penalised, shared(Regulariser::Activation)) {
            add(mean_square(&x)?.f_mul_scalar(alpha)?)?;
        }
        let steps = raw.size()[0];
        if let (true, true, Some(beta)) =
            (penalised, steps > 1, shared(Regulariser::TemporalActivation))
        {
            let change = raw.f_narrow(0, 1, steps - 1)?.f_sub(&raw.f_narrow(0, 0, steps - 1)?)?;
            add(mean_square(&change)?.f_mul_scalar(beta)?)?;
        }
        Ok(ForwardOutput { logits, penalty, scans })
    }

    /// x (T×B×u) with values dropped at the rate of each sequence, the same for all its words.
    fn dropped(
        &self,
        x: Tensor,
        of: Regulariser,
        hypers: &Drawn,
        masks: Option<&mut ExampleMasks>,
    ) -> Result<Tensor, TchError> {
        match (masks, self.regularisers.position(of)) {
            (Some(masks), Some(position)) => {
                let rates: Vec<Rate> = hypers.of(position).map(Rate::new).collect();
                x.f_mul(&masks.values(&rates, &x.f_get(0)?)?)
            }
            _ => Ok(x),
        }
    }

    /// Marks the response among the parameters: 1 where a value belongs to it, 0 elsewhere.
    pub fn mark(&self, marks: &mut [Vec<f32>]) {
        self.embedding.mark(marks);
        self.layers.iter().for_each(|layer| layer.mark(marks));
    }
}

fn mean_square(x: &Tensor) -> Result<Tensor, TchError> {
    let kind: Option<Kind> = None;
    x.f_square()?.f_mean(kind)
}
