//! Divides a search into rounds, each of which depends only on the results of the rounds before: the state of
//! the tuner is restored by replaying them.

use rand_chacha::ChaCha12Rng;

use crate::tuner::{Suggestion, Trial, Tuner};

/// The results do not match the tuner's suggestions, or the tuner makes too few of them.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
pub enum RoundError {
    /// The tuner needs results before it can make this many suggestions.
    #[error("the search asks for {asked} configurations in a round of {wanted}")]
    Short {
        /// The number of suggestions it made.
        asked: usize,
        /// The number of suggestions wanted.
        wanted: usize,
    },
    /// A result belongs to another configuration.
    #[error("trial {number} is not the one that the search asked for")]
    Other {
        /// Number of the trial.
        number: u64,
    },
}

/// Asks for a round of `size` configurations.
///
/// # Errors
/// [`RoundError::Short`] when the tuner has no more to ask.
pub fn ask(
    tuner: &mut dyn Tuner,
    size: usize,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Suggestion>, RoundError> {
    let mut asked = Vec::with_capacity(size);
    while asked.len() < size {
        let Some(suggestion) = tuner.ask(rng) else {
            return Err(RoundError::Short { asked: asked.len(), wanted: size });
        };
        asked.push(suggestion);
    }
    Ok(asked)
}

/// Goes through the earlier rounds, in order. Afterwards the tuner and `rng` are where they were when
/// the last of them had been told. `loss` is that of a result, if it is one of the suggestion.
///
/// # Errors
/// When a round does not hold the results of what the tuner asks for, or `loss` fails.
pub fn replay<T, E: From<RoundError>>(
    tuner: &mut dyn Tuner,
    rounds: &[Vec<T>],
    rng: &mut ChaCha12Rng,
    loss: impl Fn(&Suggestion, &T) -> Result<Option<f64>, E>,
) -> Result<(), E> {
    for round in rounds {
        for (suggestion, told) in ask(tuner, round.len(), rng)?.into_iter().zip(round) {
            let Some(value) = loss(&suggestion, told)? else {
                return Err(RoundError::Other { number: suggestion.id }.into());
            };
            tuner.tell(Trial { suggestion, value });
        }
    }
    Ok(())
}
