//! The self-tuning network on images of \[MacKay2019\] section 4.2, and the same network with given
//! hyper-parameters: the network and its training.

mod network;
#[cfg(test)]
mod network_tests;
mod passes;
mod task;
#[cfg(test)]
mod training_tests;

use models::neural::{
    augment::{ImageTransform, NotColour},
    regularisation::{BadRoles, Roles},
    residual::{Device, Images},
    self_tuning::{EpochRecord, Trace},
    self_tuning_cnn::{BadStCnn, Parts, StCnn},
};
use rand_chacha::{ChaCha12Rng, rand_core::SeedableRng as _};
use tch::Kind;

use self::{network::Network, passes::Passes, task::ImageTask};
use super::{
    device,
    error::TorchError,
    example_masks::ExampleMasks,
    hyper::{Builder, Keep, Recipe, tune},
    parameters::{Parameters, Placement},
};

/// Trains a network, resuming from its checkpoint if there is one; `after` is called after each epoch.
///
/// Initial weights, perturbations, orders, augmentation and dropout each have a random stream of their own,
/// drawn from `rng`, so that settings share the random numbers that they do not affect.
///
/// # Errors
/// If the settings do not fit the images, the device does not exist, libtorch fails, the checkpoint cannot be
/// written, or `interrupted`, which is called before each step, says so.
pub fn train(
    settings: &StCnn,
    images: &Parts<'_>,
    device: Device,
    rng: &mut ChaCha12Rng,
    keep: &mut dyn Keep,
    after: &mut dyn FnMut(&EpochRecord),
    interrupted: &dyn Fn() -> bool,
) -> Result<Trace, TorchError> {
    settings.check(images)?;
    let placement = Placement { device: device::resolve(device)?, kind: Kind::Float };
    device::keep_memory()?;
    let [start, perturbations, order, validation, changes, masks] =
        std::array::from_fn(|_| ChaCha12Rng::from_rng(rng));
    let generators = Generators { start, order, validation, changes, masks };
    let mut task = task(settings, images, placement, generators)?;
    let StCnn { hypers, control, descent, .. } = settings;
    let recipe = Recipe { hypers, control, descent, placement };
    tune(&mut task, &recipe, perturbations, keep, after, interrupted)
}

/// The random streams of a task.
#[derive(Debug)]
struct Generators {
    start: ChaCha12Rng,
    order: ChaCha12Rng,
    validation: ChaCha12Rng,
    changes: ChaCha12Rng,
    masks: ChaCha12Rng,
}

/// An untrained network with its images.
fn task<'a>(
    settings: &StCnn,
    images: &Parts<'a>,
    placement: Placement,
    mut generators: Generators,
) -> Result<ImageTask<'a>, TorchError> {
    let count = if settings.control.tunes() { settings.hypers.len() } else { 0 };
    let mut builder = Builder::new(count, &mut generators.start);
    let network = Network::new(&settings.network, &mut builder);
    let weights = Parameters::new(&builder.listing, placement)?;
    let Parts { training, validation, test } = *images;
    let passes = |part: Images<'_>, rng| Passes::new(part.len(), settings.batch, rng);
    Ok(ImageTask {
        network,
        weights,
        roles: Roles::of(settings.hypers.iter().map(|hyper| hyper.name.as_str()))?,
        training: (training, passes(training, generators.order)),
        validation: (validation, passes(validation, generators.validation)),
        test,
        transform: ImageTransform::new(&training)?,
        changes: generators.changes,
        masks: ExampleMasks::new(generators.masks),
        placement,
    })
}

impl From<BadRoles> for TorchError {
    fn from(error: BadRoles) -> Self {
        Self::settings(error)
    }
}

impl From<BadStCnn> for TorchError {
    fn from(error: BadStCnn) -> Self {
        Self::settings(error)
    }
}

impl From<NotColour> for TorchError {
    fn from(error: NotColour) -> Self {
        Self::settings(error)
    }
}
