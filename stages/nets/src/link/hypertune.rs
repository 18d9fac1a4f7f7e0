//! Provides the training of HyperTune's convolutional networks.

use data::images::Images;
use hypertune::{
    evaluation::Evaluation,
    learn::Network,
    network::{EVALUATE, Evaluate},
};
use models::neural::residual;
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use crate::{cnn_train, device};

/// Registers the function.
pub(super) fn link() {
    EVALUATE.fill(evaluate as Evaluate);
}

fn evaluate(
    network: &Network,
    parts: &[Images; 3],
    classes: usize,
    below: f64,
    rng: &mut ChaCha12Rng,
    interrupted: &dyn Fn() -> bool,
) -> Result<Evaluation, Stop> {
    let Network { architecture, options, device } = network;
    device::check(*device, "learners.cnn")?;
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
