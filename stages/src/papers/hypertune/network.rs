//! The bridge from an evaluation to libtorch. A program without it knows the stages all the same, so
//! that it can plan them; its engine runs them in a worker of the program that has it.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::{evaluation::Evaluation, learn::Network};
use crate::{data::images::Images, papers::libtorch::Place};

type Evaluate = fn(
    &Network,
    &[Images; 3],
    usize,
    f64,
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Evaluation, Stop>;

static EVALUATE: Place<Evaluate> = Place::new();

/// Trains a network on the first of the `parts` (training, validation, held out) and looks at the
/// second; at the third too if the error on the second is below `below`.
///
/// # Errors
/// When this program is without libtorch, libtorch refuses, the device is not there, or the run was
/// interrupted.
pub fn evaluate(
    network: &Network,
    parts: &[Images; 3],
    classes: usize,
    below: f64,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Evaluation, Stop> {
    EVALUATE.get()?(network, parts, classes, below, rng, interrupted)
}

/// Has this program train with libtorch.
#[cfg(feature = "torch")]
pub fn link() {
    EVALUATE.fill(with_libtorch);
}

#[cfg(feature = "torch")]
fn with_libtorch(
    network: &Network,
    parts: &[Images; 3],
    classes: usize,
    below: f64,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Evaluation, Stop> {
    use crate::models::{
        residual::{self, Device},
        torch::{cnn_train, device},
    };

    let Network { architecture, options, device } = network;
    if matches!(device, Device::Cuda(_)) && device::available() == 0 {
        let why = "needs a libtorch for CUDA, or `device = \"cpu\"` in `[learners.cnn]`";
        return Err(Stop::Unavailable(why.to_owned()));
    }
    let [train, validation, held_out] = parts.each_ref().map(|part| {
        let Images { pixels, labels, size, channels, .. } = part;
        residual::Images { pixels, labels, size: *size, channels: *channels }
    });
    let trained = cnn_train::fit(architecture, options, &train, classes, *device, rng, interrupted)
        .map_err(|e| Stop::Failed(e.to_string()))?;
    let error =
        |part| trained.error_rate(part, interrupted).map_err(|e| Stop::Failed(e.to_string()));
    let lowest = error(&validation)?;
    Ok(Evaluation {
        validation: lowest,
        held_out: if lowest < below { Some(error(&held_out)?) } else { None },
        work: trained.work as f64,
    })
}
