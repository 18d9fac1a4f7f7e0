//! Provides the training of Harmonica's residual networks on GPUs.

use harmonica::network::train::{TRAIN, Train};
use models::neural::residual::{
    Architecture, Device, Images, Precision, Recipe, ResidualOptions, Training,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::{device, train as trainer};

/// Registers the function.
pub(super) fn link() {
    TRAIN.fill(train as Train);
}

fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    (learn, test): (&Images<'_>, &Images<'_>),
    (device, precision): (Device, Precision),
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    device::check(device, "network")?;
    let hardware = (device, precision);
    trainer::train(options, architecture, recipe, learn, test, hardware, rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))
}
