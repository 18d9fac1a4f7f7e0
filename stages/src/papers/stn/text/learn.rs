//! The bridge from stages to libtorch. A program without it knows the stages all the same, so that it
//! can plan them; its engine runs them in a worker of the program that has it.

use std::path::Path;

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::{
    data::corpus::Corpus,
    models::{
        residual::Device,
        self_tuning::{EpochRecord, Trace},
        st_lstm::StLstm,
    },
    papers::libtorch::Place,
};

type Train = fn(
    &StLstm,
    &Corpus,
    Device,
    &mut ChaCha12Rng,
    Option<&Path>,
    &mut dyn FnMut(&EpochRecord),
    &dyn Fn() -> bool,
) -> Result<Trace, Stop>;

static TRAIN: Place<Train> = Place::new();

/// Trains a network on the training part of a text, from its checkpoint on if there is one.
///
/// # Errors
/// When this program is without libtorch, libtorch refuses, or the run was interrupted.
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

/// Has this program train with libtorch.
#[cfg(feature = "torch")]
pub fn link() {
    TRAIN.fill(with_libtorch);
}

#[cfg(feature = "torch")]
fn with_libtorch(
    settings: &StLstm,
    corpus: &Corpus,
    device: Device,
    rng: &mut ChaCha12Rng,
    checkpoints: Option<&Path>,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, Stop> {
    use crate::models::{
        language::Text,
        torch::{
            self,
            hyper::{Folder, Keep, Nowhere},
            text,
        },
    };

    if matches!(device, Device::Cuda(_)) && torch::available() == 0 {
        let why = "needs a libtorch for CUDA, or `device = \"cpu\"` in `[text]`";
        return Err(Stop::Unavailable(why.to_owned()));
    }
    let mut folder = checkpoints.map(Folder::new);
    let keep: &mut dyn Keep = match &mut folder {
        Some(folder) => folder,
        None => &mut Nowhere,
    };
    let Corpus { train, validation, test, vocabulary } = corpus;
    let words = Text { train, validation, test, vocabulary: vocabulary.len() };
    text::train(settings, words, device, rng, keep, after, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))
}
