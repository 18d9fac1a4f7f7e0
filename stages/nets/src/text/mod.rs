//! The self-tuning language model of \[MacKay2019\] section 4.1, and the same network with given
//! hyper-parameters: its training.

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
    parameters::Placement,
};

/// Trains a language model on the training part of a text, resuming from its checkpoint if there is one;
/// `after` is called after each epoch.
///
/// Initial weights, masks and perturbations each have a random stream of their own, drawn from `rng`, so that
/// settings share the random numbers that they do not affect.
///
/// # Errors
/// If the settings or the text do not fit, the device does not exist, libtorch fails, the checkpoint cannot
/// be written, or `interrupted`, which is called before each step, says so.
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
    let placement = Placement { device: device::resolve(device)?, kind: Kind::Float };
    device::keep_memory()?;
    let StLstm { network, hypers, control, descent } = settings;
    let mut task = TextTraining::new(network, text, hypers, control.tunes(), placement, rng)?;
    let perturbations = ChaCha12Rng::from_rng(rng);
    let recipe = Recipe { hypers, control, descent, placement };
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
