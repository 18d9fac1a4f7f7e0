//! Provides the training of Harmonica's residual networks.

use data::images::Images;
use harmonica::network::train::{TRAIN, Train};
use models::neural::residual::{self, Architecture, Device, Recipe, ResidualOptions, Training};
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
    images: &Images,
    device: Device,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    check(device, "network")?;
    let (size, channels) = (images.size, images.channels);
    let (front, back) = images.pixels.split_at(images.train * images.values());
    let (front_labels, back_labels) = images.labels.split_at(images.train);
    let part = |pixels, labels| residual::Images { pixels, labels, size, channels };
    let (learn, test) = (part(front, front_labels), part(back, back_labels));
    trainer::train(options, architecture, recipe, &learn, &test, device, rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))
}
