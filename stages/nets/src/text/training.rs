//! The training of a language model on a text, as a task.

use models::neural::{
    language::{Language, Regularisers, Text},
    self_tuning::Hyper,
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Kind, Reduction, Tensor};

use super::{
    network::{ForwardOutput, Network},
    stream::Stream,
};
use crate::{
    error::TorchError,
    example_masks::ExampleMasks,
    hyper::{Checkpoint, Drawn, Evaluation, Forward, Held, Memory, Tunable},
    parameters::{Parameters, Placement},
};

/// A training.
#[derive(Debug)]
pub struct TextTraining<'a> {
    options: Language,
    text: Text<'a>,
    network: Network,
    masks: ExampleMasks,
    placement: Placement,
    train: Reading,
    valid: Reading,
}

/// A text and the network's state at its reading position.
#[derive(Debug)]
struct Reading {
    stream: Stream,
    memory: Vec<Memory>,
}

impl<'a> TextTraining<'a> {
    /// An untrained network at the beginning of its text. It responds to the hyper-parameters, or is a plain
    /// one that they regularise. Initial weights and masks each have a random stream of their own, drawn from
    /// `rng`.
    ///
    /// # Errors
    /// If the numbers or the text do not fit, or memory cannot be allocated.
    pub fn new(
        options: &Language,
        text: Text<'a>,
        hypers: &[Hyper],
        responds: bool,
        placement: Placement,
        rng: &mut ChaCha12Rng,
    ) -> Result<Self, TorchError> {
        options.check()?;
        let [mut start, masks] = std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));
        let (words, shape) = (text.vocabulary, (options.batch, options.bptt));
        let count = if responds { hypers.len() } else { 0 };
        let network = Network::new(
            options,
            words,
            (count, Regularisers::of(hypers)?),
            placement,
            &mut start,
        )?;
        let reading = |part, part_text: &[u32]| -> Result<Reading, TorchError> {
            let stream = Stream::new(part, part_text, words, shape, placement.device)?;
            Ok(Reading { memory: network.blank(options.batch)?, stream })
        };
        let train = reading("training", text.train)?;
        let valid = reading("validation", text.validation)?;
        let masks = ExampleMasks::new(masks);
        Ok(Self { options: *options, text, network, masks, placement, train, valid })
    }

    /// The network's output on the next segment of a text.
    fn read(&mut self, learn: bool, hypers: &Drawn) -> Result<Forward, TorchError> {
        let reading = if learn { &mut self.train } else { &mut self.valid };
        let segment = reading.stream.take()?;
        if segment.first {
            reading.memory = self.network.blank(self.options.batch)?;
        }
        let masks = learn.then_some(&mut self.masks);
        let penalised = learn || self.options.penalised;
        // While weights are trained, only a response that is trained apart is followed, and that differentiates twice.
        let twice = learn && hypers.response.as_ref().is_some_and(Tensor::requires_grad);
        let memory = &mut reading.memory;
        let said =
            self.network.forward(&segment.words, hypers, masks, penalised, memory, !twice)?;
        let ForwardOutput { logits, penalty, scans } = said;
        Ok(Forward { logits, targets: segment.next, penalty, scans })
    }
}

impl Tunable for TextTraining<'_> {
    fn weights(&mut self) -> &mut Parameters {
        &mut self.network.weights
    }

    fn training_batch(&self) -> usize {
        self.train.stream.rows()
    }

    fn validation_batch(&self) -> usize {
        self.valid.stream.rows()
    }

    fn epoch(&self) -> usize {
        self.train.stream.passes()
    }

    fn train(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        self.read(true, hypers)
    }

    fn validate(&mut self, hypers: &Drawn) -> Result<Forward, TorchError> {
        self.read(false, hypers)
    }

    /// The mean of −ln p over all words of a text except the first of each row; the state carries over from
    /// segment to segment. Its exponential is the perplexity.
    fn evaluate(
        &mut self,
        on: Held,
        hypers: &Drawn,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Evaluation>, TorchError> {
        let _guard = tch::no_grad_guard();
        let (part, text) = match on {
            Held::Validation => ("validation", self.text.validation),
            Held::Test => ("test", self.text.test),
        };
        let shape = (self.options.evaluation_batch, self.options.bptt);
        let words = self.text.vocabulary;
        let mut stream = Stream::new(part, text, words, shape, self.placement.device)?;
        let mut memory = self.network.blank(self.options.evaluation_batch)?;
        let (mut sum, mut count) = (0.0, 0);
        while stream.passes() == 0 {
            if interrupted() {
                return Err(TorchError::Interrupted);
            }
            let segment = stream.take()?;
            let said =
                self.network.forward(&segment.words, hypers, None, false, &mut memory, true)?;
            let none = None::<&Tensor>;
            let loss = said.logits.f_cross_entropy_loss(
                &segment.next,
                none,
                Reduction::None,
                -100,
                0.0,
            )?;
            sum += loss.f_sum(Kind::Double)?.f_double_value(&[])?;
            count += loss.numel();
        }
        let loss = sum / count as f64;
        Ok(f64::is_finite(loss).then_some(Evaluation { loss, error: None }))
    }

    fn mark(&self, marks: &mut [Vec<f32>]) {
        self.network.mark(marks);
    }

    fn position(&self, all: &mut Checkpoint) {
        all.add_generator("masks", &self.masks.rng);
        for (name, reading) in [("training", &self.train), ("validation", &self.valid)] {
            all.add_numbers(name, &reading.stream.position());
            for (i, memory) in reading.memory.iter().enumerate() {
                all.add(&format!("{name}.hidden.{i}"), &memory.hidden);
                all.add(&format!("{name}.cell.{i}"), &memory.cell);
            }
        }
    }

    fn resume(&mut self, from: &Checkpoint) -> Result<(), TorchError> {
        self.masks.rng = from.generator("masks")?;
        let both = [("training", &mut self.train), ("validation", &mut self.valid)];
        for (name, reading) in both {
            let bad = || TorchError::Checkpoint(name.to_owned());
            reading.stream.go_to(from.numbers(name)?.try_into().map_err(|_| bad())?);
            for (i, memory) in reading.memory.iter_mut().enumerate() {
                memory.hidden.f_copy_(from.get(&format!("{name}.hidden.{i}"))?)?;
                memory.cell.f_copy_(from.get(&format!("{name}.cell.{i}"))?)?;
            }
        }
        Ok(())
    }
}
