//! The self-tuning language model of \[MacKay2019\] section 4.1, and the same network with
//! hyper-parameters that are given: its training.

mod network;
mod stream;
mod training;

use models::neural::{
    language::{BadLanguage, Text},
    residual::Device,
    self_tuning::{EpochRecord, Trace},
    self_tuning_lstm::{BadStLstm, StLstm},
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::Kind;

use self::training::TextTraining;
use super::{
    device,
    error::TorchError,
    hyper::{Keep, Recipe, tune},
    parameters::Place,
};

/// Trains a language model on the training part of a text, from its checkpoint on if there is one;
/// `after` is told of each epoch.
///
/// First weights, masks and perturbations have a random stream each, drawn from `rng`, so that
/// settings share what they do not change.
///
/// # Errors
/// If the settings or the text do not fit, the device is not there, libtorch refuses, the checkpoint
/// cannot be kept, or `interrupted`, which is asked before each step, says so.
pub fn train(
    settings: &StLstm,
    text: Text<'_>,
    device: Device,
    rng: &mut ChaCha12Rng,
    keep: &mut dyn Keep,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, TorchError> {
    settings.check()?;
    let place = Place { device: device::resolve(device)?, kind: Kind::Float };
    device::keep_memory()?;
    let StLstm { network, hypers, control, descent } = settings;
    let mut task = TextTraining::new(network, text, hypers, control.tunes(), place, rng)?;
    let perturbations = ChaCha12Rng::from_rng(rng);
    let recipe = Recipe { hypers, control, descent, place };
    tune(&mut task, &recipe, perturbations, keep, after, interrupted)
}

impl From<BadLanguage> for TorchError {
    fn from(error: BadLanguage) -> Self {
        Self::settings(error)
    }
}

impl From<BadStLstm> for TorchError {
    fn from(error: BadStLstm) -> Self {
        Self::settings(error)
    }
}

#[cfg(test)]
mod tests;
