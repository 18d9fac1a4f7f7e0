//! The bridge from an evaluation to libtorch. A program without it knows the stages all the same, so
//! that it can plan them; its engine runs them in a worker of the program that has it.

use data::images::Images;
use kit::libtorch::{Place, carried_out_by};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::{evaluation::Evaluation, learn::Network};

/// Evaluates a network: the network, the parts, the number of classes, the error below which the third part
/// is looked at, random numbers, and whether to stop.
pub type Evaluate = fn(
    &Network,
    &[Images; 3],
    usize,
    f64,
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Evaluation, Stop>;

/// What evaluates, in the program that has libtorch.
pub static EVALUATE: Place<Evaluate> = Place::new();
carried_out_by!(nets::link::hypertune);

/// Trains a network on the first of the `parts` (training, validation, held out) and looks at the
/// second; at the third too if the error on the second is below `below`.
///
/// # Errors
/// If this program is without libtorch, libtorch fails, the device is not there, or the run was interrupted.
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
