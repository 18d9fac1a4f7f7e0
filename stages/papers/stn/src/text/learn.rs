//! The interface of stages to libtorch. A program without libtorch has the same stages, so that it can plan
//! them; its engine runs them in a worker of the program with libtorch.

use std::path::Path;

use data::corpus::Corpus;
use kit::{
    libtorch::{Slot, carried_out_by},
    port::{Any, In},
};
use models::neural::{
    residual::Device,
    self_tuning::{EpochRecord, Trace},
    self_tuning_lstm::StLstm,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

/// The words of the text and their spellings.
pub const CORPUS: [In<Any>; 2] = [In::new("words"), In::new("vocabulary")];

/// Trains a network on a text, as [`train`].
pub type Train = fn(
    &StLstm,
    &Corpus,
    Device,
    &mut ChaCha12Rng,
    Option<&Path>,
    &mut dyn FnMut(&EpochRecord),
    &dyn Fn() -> bool,
) -> Result<Trace, Stop>;

/// The function that trains, in the program with libtorch.
pub static TRAIN: Slot<Train> = Slot::new();
carried_out_by!(nets::link::text);

/// Trains a network on the training part of a text, resuming from its checkpoint if there is one.
///
/// # Errors
/// If this program is without libtorch, libtorch fails, or the run was interrupted.
pub fn train(
    settings: &StLstm,
    corpus: &Corpus,
    device: Device,
    rng: &mut ChaCha12Rng,
    checkpoints: Option<&Path>,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, Stop> {
    TRAIN.get()?(settings, corpus, device, rng, checkpoints, after, interrupted)
}
