//! One run of a tuner on a target.

use rand_chacha::ChaCha12Rng;
use tuners::tuner::{Trial, Tuner};

use crate::target::Opened;

/// The state of a run after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Incumbent {
    /// The lowest loss so far.
    pub best: f64,
    /// The mean loss of the configuration that has it.
    pub mean: f64,
}

/// Runs a tuner; the incumbent after each evaluation. The first trials of all tuners on a target and a seed are the
/// same, if these draw them uniformly.
pub fn search(
    target: &Opened,
    tuner: &mut dyn Tuner,
    evaluations: u32,
    (asking, looking): (&mut ChaCha12Rng, &mut ChaCha12Rng),
) -> Vec<Incumbent> {
    let mut incumbent = Incumbent { best: f64::INFINITY, mean: f64::NAN };
    let mut all = Vec::with_capacity(evaluations as usize);
    for _ in 0..evaluations {
        let Some(suggestion) = tuner.ask(asking) else { break };
        let (value, mean) = target.evaluate(&suggestion.config, looking);
        if value < incumbent.best {
            incumbent = Incumbent { best: value, mean };
        }
        all.push(incumbent);
        tuner.tell(Trial { suggestion, value });
    }
    all
}
