//! Provides the training of self-tuning networks on texts.

use std::path::Path;

use data::corpus::Corpus;
use models::neural::{
    language::Text,
    residual::Device,
    self_tuning::{EpochRecord, Trace},
    self_tuning_lstm::StLstm,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stn::text::learn::{TRAIN, Train};

use crate::{
    device,
    hyper::{Folder, Keep, Nowhere},
    text,
};

/// Registers the function.
pub(super) fn link() {
    TRAIN.fill(train as Train);
}

fn train(
    settings: &StLstm,
    corpus: &Corpus,
    device: Device,
    rng: &mut ChaCha12Rng,
    checkpoints: Option<&Path>,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, Stop> {
    device::check(device, "text")?;
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
