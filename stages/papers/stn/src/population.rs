//! A population of trainings in turns, \[Jaderberg2017\]: who trains when, from whose weights, with which
//! values; and how it goes on after a kill. An extension: \[MacKay2019\] names it as related work and runs
//! none.

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
    /// Epochs that its weights have behind them.
    pub before: usize,
    /// Epochs that they are to have.
    pub until: usize,
    /// The folder of its checkpoint.
    pub folder: PathBuf,
}

/// A turn that is over.
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
    /// Epochs that its weights had before.
    pub before: usize,
    /// Its result.
    pub finished: Finished,
}

/// Trains a population, each member for `epochs` in all; `turn` trains one of them for a while. The
/// turns come back in the order in which they were made.
///
/// # Errors
/// When settings are out of range, a training fails or was interrupted, or a checkpoint cannot be
/// kept.
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
            // Nobody goes on from it; if it stays, it is in nobody's way.
            _ = fs::remove_dir_all(of_round(last));
        }
        if losses.iter().all(|loss| loss.is_nan()) {
            break;
        }
    }
    Ok(all)
}

/// Copies a checkpoint, as a whole or not at all.
fn inherit(from: &Path, to: &Path) -> Result<(), Stop> {
    if to.exists() {
        // Of an attempt that was killed: it may be further on.
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

/// One row a turn and hyper-parameter: who went on from whom, with what.
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
