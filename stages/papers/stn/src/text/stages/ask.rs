//! The next round of a search.

use kit::port::{Many, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    tables::{asked::AskedValue, trace::Epoch},
    text::{
        asked::{self, Asked},
        search::{Bound, Search},
    },
};

/// Asks a search for a round.
#[derive(Serialize, Deserialize)]
pub struct Ask {
    /// The search.
    pub search: Search,
    /// The hyper-parameters.
    pub bounds: Vec<Bound>,
    /// The number of configurations of each earlier round, and of this one.
    pub sizes: Vec<usize>,
    /// Epochs of a full training.
    pub epochs: u32,
}

/// The last part of the role of a round's suggestions.
#[must_use]
pub fn of_round(round: usize) -> String {
    format!("{round:04}")
}

/// The last part of the role of the epochs of a trial of a round.
#[must_use]
pub fn of_trial(round: usize, row: usize) -> String {
    format!("{round:04} {row:04}")
}

impl Ask {
    /// The suggestions of earlier rounds.
    pub const ASKED: Many<AskedValue> = Many::new("asked ");
    /// The epochs of their trials.
    pub const TOLD: Many<Epoch> = Many::new("told ");
    /// The suggestions of this round.
    pub const MAIN: Out<AskedValue> = Out::table("main");
}

impl Stage for Ask {
    const KIND: &'static str = "stn/text/ask";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(300)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let (size, earlier) = self
            .sizes
            .split_last()
            .ok_or_else(|| Stop::Failed("no round to ask for".to_owned()))?;
        let told =
            (0..earlier.len()).map(|round| round_of(cx, round)).collect::<Result<Vec<_>, _>>()?;
        let asked = self
            .search
            .ask(&self.bounds, &told, *size, self.epochs, &mut cx.rng("search")?)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Self::MAIN.write(cx, &asked::rows(&asked))
    }
}

/// The suggestions of an earlier round, with the lowest validation loss of each; infinite without an epoch.
fn round_of(cx: &Context, round: usize) -> Result<Vec<(Asked, f64)>, Stop> {
    let asked = asked::read(Ask::ASKED.at(of_round(round)).read(cx)?)?;
    let told = |(row, asked): (usize, Asked)| {
        let epochs = Ask::TOLD.at(of_trial(round, row)).read(cx)?;
        let losses = epochs.iter().map(|epoch| epoch.ended.valid_loss);
        Ok((asked, losses.fold(f64::INFINITY, f64::min)))
    };
    asked.into_iter().enumerate().map(told).collect()
}
