//! Computes what the stages of Harmonica find in recorded samples, and describes it in words.
//!
//! DIFFERS: the text of section 5 counts 39 options and 21 dummies; Table 2 lists 38 options (31 that act and 7
//! settings of the program) and 22 dummies, 39 to 60. The table is followed.

use models::neural::residual::{COUNT, VARIABLES};
use rand_chacha::ChaCha12Rng;
use tuners::{
    harmonica::{Harmonica, HarmonicaSettings, Restriction},
    rounds::RoundError,
    tuner::Error,
};

use super::{
    replay::{self, Told},
    signs,
};

/// Why samples cannot be those of Harmonica.
#[derive(Debug, thiserror::Error)]
pub enum FoundError {
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] Error),
    /// The samples belong to another search.
    #[error(transparent)]
    Round(#[from] RoundError),
}

/// The result of each stage in its round of samples; empty if nothing could be learnt.
///
/// # Errors
/// If the rounds are not those that Harmonica asks for with these settings and `rng`.
pub fn restrictions(
    settings: HarmonicaSettings,
    rounds: &[Vec<Told>],
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Option<Restriction>>, FoundError> {
    let space = signs::space(COUNT).map_err(Error::from)?;
    let settings = HarmonicaSettings { stages: rounds.len(), ..settings };
    let mut harmonica = Harmonica::new(space, settings)?;
    let mut found = Vec::with_capacity(rounds.len());
    for round in rounds {
        let before = harmonica.restrictions().len();
        replay::replay(&mut harmonica, std::slice::from_ref(round), rng)?;
        found.push(harmonica.restrictions().get(before).cloned());
    }
    Ok(found)
}

/// The numbers of Table 2 of a monomial, joined by `*`.
#[must_use]
pub fn numbers(monomial: &[usize]) -> String {
    let number = |&i: &usize| format!("{:02}", VARIABLES[i].number);
    monomial.iter().map(number).collect::<Vec<_>>().join("*")
}

/// The names of Table 2 of a monomial, joined by ` * `.
#[must_use]
pub fn names(monomial: &[usize]) -> String {
    let name = |&i: &usize| format!("{:02} {}", VARIABLES[i].number, VARIABLES[i].name);
    monomial.iter().map(name).collect::<Vec<_>>().join(" * ")
}
