//! The bridge from stages to libtorch. A program without it knows the stages all the same, so that it
//! can plan them; its engine runs them in a worker of the program that has it.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::{
    data::images::Images,
    models::residual::{Architecture, Device, Recipe, ResidualOptions, Training},
};

/// Trains a network on the training part of `images` and judges it on the test part.
///
/// # Errors
/// When libtorch refuses, or the run was interrupted.
#[cfg(feature = "torch")]
pub fn train(
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

/// Without libtorch there is no training.
///
/// # Errors
/// Always.
#[cfg(not(feature = "torch"))]
pub fn train(
    _: &ResidualOptions,
    _: &Architecture,
    _: &Recipe,
    _: &Images,
    _: Device,
    _: &mut ChaCha12Rng,
    _: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    Err(Stop::Unavailable("needs the program retune-torch".to_owned()))
}
