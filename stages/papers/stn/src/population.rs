//! Trains a population in turns, \[Jaderberg2017\]: the order of trainings, the weights and values that each
//! begins with, and how the population continues after a kill. An extension: \[MacKay2019\] names it as
//! related work and runs none.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use numerics::space::Space;
use pipeline::stage::{Context, Stop};
use tuners::population_based::{Heir, PopulationBased};

use super::{
    finished::{Finished, Shelf},
    tables::{label::Label, trace::Turned},
};

/// The method's name in tables.
pub const METHOD: &str = "pbt";

/// One member's training between two selections.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The member, from 0.
    pub member: usize,
    /// The values of its hyper-parameters.
    pub values: &'a [f64],
    /// Number of epochs of its weights so far.
    pub before: usize,
    /// Number of epochs after this turn.
    pub until: usize,
    /// The folder of its checkpoint.
    pub folder: PathBuf,
}

/// A finished turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Lived {
    /// The round, from 0.
    pub round: usize,
    /// The member.
    pub member: usize,
    /// The member whose weights it began with.
    pub from: usize,
    /// The values of its hyper-parameters.
    pub values: Vec<f64>,
    /// Number of epochs of its weights before.
    pub before: usize,
    /// Its result.
    pub finished: Finished,
}

/// Trains a population, each member for `epochs` in total; `turn` trains one of them for some epochs. Returns
/// the turns in the order in which they were made.
///
/// # Errors
/// If settings are out of range, a training fails or was interrupted, or a checkpoint cannot be written.
pub fn train(
    settings: &PopulationBased,
    space: &Space,
    epochs: usize,
    cx: &Context,
    turn: &mut dyn FnMut(&Turn<'_>) -> Result<Finished, Stop>,
) -> Result<Vec<Lived>, Stop> {
    settings.check().map_err(|e| Stop::Failed(e.to_string()))?;
    let none = || Stop::Failed("a population goes on from checkpoints: none are kept".to_owned());
    let folder = cx.checkpoints().ok_or_else(none)?;
    train_in(folder, settings, space, epochs, &mut cx.rng("population")?, turn)
}

fn train_in(
    folder: &Path,
    settings: &PopulationBased,
    space: &Space,
    epochs: usize,
    rng: &mut rand_chacha::ChaCha12Rng,
    turn: &mut dyn FnMut(&Turn<'_>) -> Result<Finished, Stop>,
) -> Result<Vec<Lived>, Stop> {
    let mut shelf = Shelf::open(Some(folder))?;
    let of_round = |round: usize| folder.join(format!("round-{round}"));
    let place = |round, member: usize| of_round(round).join(format!("member-{member}"));
    let mut values = settings.start(space, rng);
    let mut losses = vec![f64::INFINITY; settings.members];
    let mut all: Vec<Lived> = Vec::new();
    for round in 0..epochs.div_ceil(settings.interval) {
        let mut parents: Vec<usize> = (0..settings.members).collect();
        if round > 0 {
            let heirs = settings.next(space, &values, &losses, rng);
            losses = heirs.iter().map(|heir| losses[heir.from]).collect();
            (parents, values) =
                heirs.into_iter().map(|Heir { from, values }| (from, values)).unzip();
        }
        let before = round * settings.interval;
        let until = (before + settings.interval).min(epochs);
        for (member, (&from, values)) in parents.iter().zip(&values).enumerate() {
            let finished = if let Some(finished) = shelf.get(all.len()) {
                finished.clone()
            } else {
                let own = place(round, member);
                if let Some(last) = round.checked_sub(1) {
                    inherit(&place(last, from), &own)?;
                }
                let finished = turn(&Turn { member, values, before, until, folder: own })?;
                shelf.push(finished.clone())?;
                finished
            };
            let last = finished.epochs.last().map(|epoch| epoch.valid_loss);
            losses[member] =
                if finished.diverged { f64::NAN } else { last.unwrap_or(losses[member]) };
            all.push(Lived { round, member, from, values: values.clone(), before, finished });
        }
        if let Some(last) = round.checked_sub(1) {
            // No member continues from it; it does no harm if it stays.
            _ = fs::remove_dir_all(of_round(last));
        }
        if losses.iter().all(|loss| loss.is_nan()) {
            break;
        }
    }
    Ok(all)
}

/// Copies a checkpoint atomically.
fn inherit(from: &Path, to: &Path) -> Result<(), Stop> {
    if to.exists() {
        // Left by a killed attempt: it may be more advanced.
        return Ok(());
    }
    let part = to.with_extension("part");
    let copy = || -> io::Result<()> {
        if part.exists() {
            fs::remove_dir_all(&part)?;
        }
        fs::create_dir_all(&part)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            fs::copy(entry.path(), part.join(entry.file_name()))?;
        }
        fs::rename(&part, to)
    };
    copy().map_err(|e| {
        Stop::Failed(format!("cannot copy {} to {}: {e}", from.display(), to.display()))
    })
}

/// One row per turn and hyper-parameter: the member, its ancestor, and the value.
#[must_use]
pub fn members(label: &Label, names: &[&str], all: &[Lived]) -> Vec<Turned> {
    let of = |lived: &Lived| {
        let row = |(name, &value): (&&str, &f64)| Turned {
            label: label.clone(),
            round: lived.round,
            training: lived.member,
            from: lived.from,
            name: (*name).to_owned(),
            value,
        };
        names.iter().zip(&lived.values).map(row).collect::<Vec<_>>()
    };
    all.iter().flat_map(of).collect()
}

#[cfg(test)]
#[path = "population_tests.rs"]
mod tests;
