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
};

/// Trains a network on the training part of a text, from its checkpoint on if there is one.
///
/// # Errors
/// When libtorch refuses, or the run was interrupted.
#[cfg(feature = "torch")]
pub fn train(
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

/// Without libtorch there is no training.
///
/// # Errors
/// Always.
#[cfg(not(feature = "torch"))]
pub fn train(
    _: &StLstm,
    _: &Corpus,
    _: Device,
    _: &mut ChaCha12Rng,
    _: Option<&Path>,
    _: &mut dyn FnMut(&EpochRecord),
    _: &dyn Fn() -> bool,
) -> Result<Trace, Stop> {
    Err(Stop::Unavailable("needs the program retune-torch".to_owned()))
}
