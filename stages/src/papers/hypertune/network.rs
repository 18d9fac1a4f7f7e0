//! The bridge from an evaluation to libtorch. A program without it knows the stages all the same, so
//! that it can plan them; its engine runs them in a worker of the program that has it.

use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::{evaluation::Evaluation, learn::Network};
use crate::data::images::Images;

/// Trains a network on the first of the `parts` (training, validation, held out) and looks at the
/// second; at the third too if the error on the second is below `below`.
///
/// # Errors
/// When libtorch refuses, the device is not there, or the run was interrupted.
#[cfg(feature = "torch")]
pub fn evaluate(
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

/// Without libtorch there is no training.
///
/// # Errors
/// Always.
#[cfg(not(feature = "torch"))]
pub fn evaluate(
    _: &Network,
    _: &[Images; 3],
    _: usize,
    _: f64,
    _: &mut ChaCha12Rng,
    _: &dyn Fn() -> bool,
) -> Result<Evaluation, Stop> {
    Err(Stop::Unavailable("needs the program retune-torch".to_owned()))
}
