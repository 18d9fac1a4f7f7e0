//! The interface of stages to libtorch. A program without libtorch has the same stages, so that it can plan
//! them; its engine runs them in a worker of the program with libtorch.

use data::images::Images;
use kit::libtorch::{Place, carried_out_by};
use models::neural::residual::{Architecture, Device, Recipe, ResidualOptions, Training};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

/// Trains and tests a network, as [`train`].
pub type Train = fn(
    &ResidualOptions,
    &Architecture,
    &Recipe,
    &Images,
    Device,
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Training, Stop>;

/// The function that trains, in the program with libtorch.
pub static TRAIN: Place<Train> = Place::new();
carried_out_by!(nets::link::harmonica);

/// Trains a network on the training part of `images` and tests it on the test part.
///
/// # Errors
/// If this program is without libtorch, libtorch fails, or the run was interrupted.
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
