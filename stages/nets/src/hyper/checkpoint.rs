//! Checkpoints: the state that a training needs to continue after it was stopped, as named tensors, and their
//! storage.

use models::neural::self_tuning::{EpochRecord, StepRecord, Trace};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::{Kind, Tensor};

use crate::error::TorchError;

/// A checkpoint as named tensors.
#[derive(Debug, Default)]
pub struct Checkpoint(Vec<(String, Tensor)>);

/// The storage of the last checkpoint of a training.
pub trait Keep {
    /// The checkpoint, if there is one.
    ///
    /// # Errors
    /// If it exists but cannot be read.
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError>;

    /// Replaces the checkpoint.
    ///
    /// # Errors
    /// If it cannot be written.
    fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), TorchError>;
}

/// Storage that keeps nothing.
#[derive(Debug)]
pub struct Nowhere;

impl Keep for Nowhere {
    fn load(&mut self) -> Result<Option<Checkpoint>, TorchError> {
        Ok(None)
    }

    fn save(&mut self, _: &Checkpoint) -> Result<(), TorchError> {
        Ok(())
    }
}

impl Checkpoint {
    /// A checkpoint from tensors that were read.
    pub fn new(tensors: Vec<(String, Tensor)>) -> Self {
        Self(tensors)
    }

    /// All tensors, to be written.
    pub fn tensors(&self) -> &[(String, Tensor)] {
        &self.0
    }

    /// Adds a tensor.
    pub fn add(&mut self, name: &str, tensor: &Tensor) {
        self.0.push((name.to_owned(), tensor.detach().to_device(tch::Device::Cpu)));
    }

    /// Adds numbers.
    pub fn add_numbers(&mut self, name: &str, numbers: &[f64]) {
        self.add(name, &Tensor::from_slice(numbers));
    }

    /// Adds the state of a generator.
    pub fn add_generator(&mut self, name: &str, rng: &ChaCha12Rng) {
        let mut bytes = rng.get_seed().to_vec();
        bytes.extend(rng.get_stream().to_le_bytes());
        bytes.extend(rng.get_word_pos().to_le_bytes());
        self.add(name, &Tensor::from_slice(&bytes));
    }

    /// The tensor with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, name: &str) -> Result<&Tensor, TorchError> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, tensor)| tensor).ok_or_else(|| TorchError::Checkpoint(name.to_owned()))
    }

    /// The numbers with this name.
    ///
    /// # Errors
    /// If there are none with this name.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, TorchError> {
        Ok(self.get(name)?.f_to_kind(Kind::Double)?.f_reshape([-1])?.try_into()?)
    }

    /// A generator in its recorded state.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn generator(&self, name: &str) -> Result<ChaCha12Rng, TorchError> {
        let bad = || TorchError::Checkpoint(name.to_owned());
        let bytes: Vec<u8> = self.get(name)?.try_into()?;
        let (seed, rest) = bytes.split_first_chunk::<32>().ok_or_else(bad)?;
        let (stream, rest) = rest.split_first_chunk::<8>().ok_or_else(bad)?;
        let position: [u8; 16] = rest.try_into().map_err(|_| bad())?;
        let mut rng = ChaCha12Rng::from_seed(*seed);
        rng.set_stream(u64::from_le_bytes(*stream));
        rng.set_word_pos(u128::from_le_bytes(position));
        Ok(rng)
    }

    /// Adds the trace recorded so far.
    pub fn add_trace(&mut self, trace: &Trace) {
        let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let epoch = |e: &EpochRecord| {
            let counts = [e.batches as f64, e.moves as f64];
            let losses = [e.train_loss, e.valid_loss];
            let maybe = [e.valid_error, e.test_loss, e.test_error].map(or_nan);
            [&counts[..], &losses, &maybe, &[e.rate]].concat()
        };
        self.add_numbers("trace.epochs", &trace.epochs.iter().flat_map(epoch).collect::<Vec<_>>());
        let step = |s: &StepRecord| [&[s.batches as f64][..], &s.values, &s.scales].concat();
        self.add_numbers("trace.steps", &trace.steps.iter().flat_map(step).collect::<Vec<_>>());
        let widths = trace.steps.first().map_or([0, 0], |s| [s.values.len(), s.scales.len()]);
        self.add_numbers("trace.widths", &widths.map(|n| n as f64));
    }

    /// The recorded trace.
    ///
    /// # Errors
    /// If it is missing.
    pub fn trace(&self) -> Result<Trace, TorchError> {
        let some = |value: f64| (!value.is_nan()).then_some(value);
        let epoch = |row: &[f64; 8]| EpochRecord {
            batches: row[0] as u64,
            moves: row[1] as u64,
            train_loss: row[2],
            valid_loss: row[3],
            valid_error: some(row[4]),
            test_loss: some(row[5]),
            test_error: some(row[6]),
            rate: row[7],
        };
        let widths = self.numbers("trace.widths")?;
        let [values, scales] = [0, 1].map(|i| widths.get(i).map_or(0, |&n| n as usize));
        let step = |row: &[f64]| StepRecord {
            batches: row[0] as u64,
            values: row[1..=values].to_vec(),
            scales: row[1 + values..].to_vec(),
        };
        let (epochs, steps) = (self.numbers("trace.epochs")?, self.numbers("trace.steps")?);
        Ok(Trace {
            epochs: epochs.as_chunks().0.iter().map(epoch).collect(),
            steps: steps.chunks_exact(1 + values + scales).map(step).collect(),
            diverged: false,
        })
    }
}
