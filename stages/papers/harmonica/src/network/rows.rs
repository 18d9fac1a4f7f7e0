//! The tables of a round: the requested configurations, and their results.

use kit::{cell::Coded, port::Many, row::Row};
use pipeline::stage::{Context, Stop};

use super::signs;

/// A configuration to train.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Asked {
    /// number within the search, from 0
    pub number: u32,
    /// the 60 variables, in order
    #[row(name = "signs", with = Signs)]
    pub minus: Vec<bool>,
    /// epochs to train
    pub epochs: u32,
}

/// A configuration that was trained.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was asked for.
    #[row(flatten)]
    pub asked: Asked,
    /// layers of the network
    pub depth: u32,
    /// test error after the last epoch; 1 if diverged
    pub error: f64,
    /// whether the training diverged
    pub diverged: bool,
}

/// The time of a training.
#[derive(Row, Clone, Debug)]
pub struct Taken {
    /// number within the search
    pub number: u32,
    /// epochs trained
    pub epochs: u32,
    /// CPU seconds of the training
    pub cpu_s: f64,
    /// elapsed seconds of the training
    pub wall_s: f64,
}

/// An assignment as a text of signs; `true` is −1.
pub struct Signs;

impl Coded for Signs {
    type Value = Vec<bool>;
    const WHAT: &'static str = "text of 60 signs";

    fn code(minus: &Vec<bool>) -> String {
        signs::text(minus)
    }

    fn decode(text: &str) -> Option<Vec<bool>> {
        signs::read(text)
    }
}

/// The results of earlier rounds, by their numbers in three digits.
pub const TOLD: Many<Tried> = Many::new("told ");

/// The last part of the role of a round's results.
#[must_use]
pub fn end(round: usize) -> String {
    format!("{round:03}")
}

/// The earlier rounds that a stage was given.
///
/// # Errors
/// If a table is corrupt or lacks a column.
pub fn rounds(cx: &Context) -> Result<Vec<Vec<Tried>>, Stop> {
    Ok(TOLD.read(cx)?.into_iter().map(|(_, tried)| tried).collect())
}
