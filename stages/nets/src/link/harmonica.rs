//! Provides the training of Harmonica's residual networks on GPUs.

use harmonica::network::train::{TRAIN, Train};
use models::neural::residual::{Architecture, Device, Images, Recipe, ResidualOptions, Training};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::check;
use crate::train as trainer;

/// Registers the function.
pub(super) fn link() {
    TRAIN.fill(train as Train);
}

fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    (learn, test): (&Images<'_>, &Images<'_>),
    device: Device,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    check(device, "network")?;
    trainer::train(options, architecture, recipe, learn, test, device, rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))
}
