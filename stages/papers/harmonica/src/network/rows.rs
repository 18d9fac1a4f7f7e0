//! The tables of a round: what was asked for, and what came of it.

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use pipeline::stage::{Context, Stop};

use super::signs;

/// A configuration to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Number within the search.
    pub number: u32,
    /// The assignment, `true` for −1.
    pub minus: Vec<bool>,
    /// For how many epochs.
    pub epochs: u32,
}

/// A configuration that was trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was asked for.
    pub asked: Asked,
    /// Layers of the network.
    pub depth: u32,
    /// Test error after the last epoch, in \[0, 1\]; 1 where the training diverged.
    pub error: f64,
    /// Whether it diverged.
    pub diverged: bool,
}

fn asked_columns<'a>(rows: impl Iterator<Item = &'a Asked> + Clone) -> Columns {
    Columns::new()
        .index("number", "number within the search, from 0", rows.clone().map(|r| r.number))
        .text("signs", "the 60 variables, in order", rows.clone().map(|r| signs::text(&r.minus)))
        .index("epochs", "epochs to train", rows.map(|r| r.epochs))
}

/// What is asked for, one a row.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn asked_table(rows: &[Asked]) -> Result<RecordBatch, TableError> {
    asked_columns(rows.iter()).batch()
}

/// What came of it, one a row.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn tried_table(rows: &[Tried]) -> Result<RecordBatch, TableError> {
    asked_columns(rows.iter().map(|r| &r.asked))
        .index("depth", "layers of the network", rows.iter().map(|r| r.depth))
        .real(
            "error",
            "test error after the last epoch; 1 if diverged",
            rows.iter().map(|r| r.error),
        )
        .flag("diverged", "whether the training diverged", rows.iter().map(|r| r.diverged))
        .batch()
}

/// The rows that [`asked_table`] has written, or of the front of [`tried_table`].
///
/// # Errors
/// When a column is missing or holds something else.
pub fn read_asked(table: &RecordBatch) -> Result<Vec<Asked>, Stop> {
    let rows = Rows(table);
    let (number, text, epochs) =
        (rows.index("number")?, rows.text("signs")?, rows.index("epochs")?);
    let row = |i: usize| {
        let minus = signs::read(&text[i])
            .ok_or_else(|| Stop::Failed(format!("row {i} has no 60 signs: `{}`", text[i])))?;
        Ok(Asked { number: number[i], minus, epochs: epochs[i] })
    };
    (0..rows.len()).map(row).collect()
}

/// The rows that [`tried_table`] has written.
///
/// # Errors
/// When a column is missing or holds something else.
pub fn read_tried(table: &RecordBatch) -> Result<Vec<Tried>, Stop> {
    let rows = Rows(table);
    let (depth, error, diverged) =
        (rows.index("depth")?, rows.real("error")?, rows.flag("diverged")?);
    let all = read_asked(table)?.into_iter().enumerate();
    Ok(all
        .map(|(i, asked)| Tried { asked, depth: depth[i], error: error[i], diverged: diverged[i] })
        .collect())
}

/// The role under which a stage reads the results of a round.
#[must_use]
pub fn role(round: usize) -> String {
    format!("told {round:03}")
}

/// The earlier rounds that a stage was given.
///
/// # Errors
/// When a table is corrupt or lacks a column.
#[expect(clippy::maybe_infinite_iter, reason = "a stage has finitely many inputs")]
pub fn rounds(cx: &Context) -> Result<Vec<Vec<Tried>>, Stop> {
    let given = |round: &String| cx.roles().any(|role| role == round);
    let roles: Vec<String> = (0..).map(role).take_while(given).collect();
    roles.iter().map(|role| read_tried(&cx.input(role)?)).collect()
}
