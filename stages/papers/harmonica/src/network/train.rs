//! Where a network is trained: on the CPU here, with the kernels of `models`; on a GPU in the program with
//! libtorch. A program without it has the same stages, so that it can plan them; its engine runs those that need
//! a GPU in a worker of the program with libtorch.

use data::images;
use kit::libtorch::{Slot, carried_out_by};
use models::neural::residual::{
    Architecture, Device, Images, Precision, Recipe, ResidualOptions, Training, lanes,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

/// Trains a network on the first images and tests it on the second, on a device that multiplies in a precision.
pub type Train = fn(
    &ResidualOptions,
    &Architecture,
    &Recipe,
    (&Images<'_>, &Images<'_>),
    (Device, Precision),
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Training, Stop>;

/// The function that trains, in the program with libtorch.
pub static TRAIN: Slot<Train> = Slot::new();
carried_out_by!(nets::link::harmonica);

/// Trains a network on the training part of `images` and tests it on the test part.
///
/// # Errors
/// If the arguments do not fit each other, the run was interrupted, or a GPU is asked for that this program or
/// libtorch does not have.
pub fn train(
    options: &ResidualOptions,
    architecture: &Architecture,
    recipe: &Recipe,
    images: &images::Images,
    (device, precision): (Device, Precision),
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Training, Stop> {
    let (size, channels) = (images.size, images.channels);
    let (front, back) = images.pixels.split_at(images.train * images.values());
    let (front_labels, back_labels) = images.labels.split_at(images.train);
    let part = |pixels, labels| Images { pixels, labels, size, channels };
    let (learn, test) = (part(front, front_labels), part(back, back_labels));
    if device != Device::Cpu {
        let train = TRAIN.get()?;
        let hardware = (device, precision);
        return train(options, architecture, recipe, (&learn, &test), hardware, rng, interrupted);
    }
    lanes::train(options, architecture, recipe, (&learn, &test), rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))?
        .ok_or_else(|| Stop::Failed("interrupted".to_owned()))
}
