//! The bridge from stages to libtorch. A program without it knows the stages all the same, so that it
//! can plan them; its engine runs them in a worker of the program that has it.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::{
    data::images::Images,
    models::residual::{Architecture, Device, Recipe, ResidualOptions, Training},
    papers::libtorch::Place,
};

type Train = fn(
    &ResidualOptions,
    &Architecture,
    &Recipe,
    &Images,
    Device,
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Training, Stop>;

static TRAIN: Place<Train> = Place::new();

/// Trains a network on the training part of `images` and judges it on the test part.
///
/// # Errors
/// When this program is without libtorch, libtorch refuses, or the run was interrupted.
pub fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    images: &Images,
    device: Device,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    TRAIN.get()?(options, architecture, recipe, images, device, rng, interrupted)
}

/// Has this program train with libtorch.
#[cfg(feature = "torch")]
pub fn link() {
    TRAIN.fill(with_libtorch);
}

#[cfg(feature = "torch")]
fn with_libtorch(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    images: &Images,
    device: Device,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    use crate::models::{residual, torch};

    if matches!(device, Device::Cuda(_)) && torch::available() == 0 {
        let why = "needs a libtorch for CUDA, or `device = \"cpu\"` in `[network]`";
        return Err(Stop::Unavailable(why.to_owned()));
    }
    let (size, channels) = (images.size, images.channels);
    let (front, back) = images.pixels.split_at(images.train * images.values());
    let (front_labels, back_labels) = images.labels.split_at(images.train);
    let part = |pixels, labels| residual::Images { pixels, labels, size, channels };
    let (learn, test) = (part(front, front_labels), part(back, back_labels));
    torch::train(options, architecture, recipe, &learn, &test, device, rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))
}
