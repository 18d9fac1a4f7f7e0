//! A tuner's state from what it was told: a search that is cut into rounds, each of which knows only
//! the results of those before. Knows no stage.

use rand_chacha::ChaCha12Rng;

use super::signs;
use crate::tuner::{Suggestion, Trial, Tuner};

/// Results that do not belong to what the tuner asks for, or a tuner that asks for too little.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum ReplayError {
    /// The tuner wants to be told before it asks for so many.
    #[error("the search asks for {asked} configurations in a round of {wanted}")]
    Short {
        /// How many it asked for.
        asked: usize,
        /// How many were wanted.
        wanted: usize,
    },
    /// A result of another configuration.
    #[error("trial {number} is not the one that the search asked for")]
    Other {
        /// Number of the trial.
        number: u64,
    },
}

/// A result of an earlier round.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Number of the trial within the search.
    pub number: u64,
    /// What was tried.
    pub minus: Vec<bool>,
    /// Its loss.
    pub value: f64,
}

/// Asks for a round of `size` configurations.
///
/// # Errors
/// [`ReplayError::Short`] when the tuner has no more to ask.
pub fn ask(
    tuner: &mut dyn Tuner,
    size: usize,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Suggestion>, ReplayError> {
    let mut asked = Vec::with_capacity(size);
    while asked.len() < size {
        let Some(suggestion) = tuner.ask(rng) else {
            return Err(ReplayError::Short { asked: asked.len(), wanted: size });
        };
        asked.push(suggestion);
    }
    Ok(asked)
}

/// Goes through the earlier rounds, in order. Afterwards the tuner and `rng` are where they were when
/// the last of them had been told.
///
/// # Errors
/// When a round does not hold the results of what the tuner asks for.
pub fn replay(
    tuner: &mut dyn Tuner,
    rounds: &[Vec<Told>],
    rng: &mut ChaCha12Rng,
) -> Result<(), ReplayError> {
    for round in rounds {
        let asked = ask(tuner, round.len(), rng)?;
        for (suggestion, told) in asked.into_iter().zip(round) {
            if suggestion.id != told.number || signs::of_config(&suggestion.config) != told.minus {
                return Err(ReplayError::Other { number: told.number });
            }
            tuner.tell(Trial { suggestion, value: told.value });
        }
    }
    Ok(())
}
