//! The interface of an evaluation to libtorch. A program without libtorch has the same stages, so that it can
//! plan them; its engine runs them in a worker of the program with libtorch.

use data::images::Images;
use kit::libtorch::{Slot, carried_out_by};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::{evaluation::Evaluation, learn::Network};

/// Evaluates a network. The arguments are the network, the parts, the number of classes, the error below
/// which the third part is evaluated, the random stream, and whether to stop.
pub type Evaluate = fn(
    &Network,
    &[Images; 3],
    usize,
    f64,
    &mut ChaCha12Rng,
    &dyn Fn() -> bool,
) -> Result<Evaluation, Stop>;

/// The function that evaluates, in the program with libtorch.
pub static EVALUATE: Slot<Evaluate> = Slot::new();
carried_out_by!(nets::link::hypertune);

/// Trains a network on the first of the `parts` (training, validation, held out) and evaluates it on the
/// second, and also on the third if the error on the second is below `below`.
///
/// # Errors
/// If this program is without libtorch, libtorch fails, the device does not exist, or the run was
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
