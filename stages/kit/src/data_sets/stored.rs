//! Reads a stored data set. Separate from loading, so that a change to a loader reruns the loading and, if
//! the data are the same, nothing else.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use data::{corpus::Corpus, corpus_table, loaded::Loaded, matrix};
use pipeline::stage::{Context, Stop};

use crate::port::{Any, In};

/// The values.
pub const VALUES: In<Any> = In::new("data");
/// The target to be predicted.
pub const TARGET: In<Any> = In::new("target");
/// The names of features and classes.
pub const NAMES: In<Any> = In::new("names");

/// The data set behind these inputs, which [`crate::wire::stored`] declares.
///
/// # Errors
/// If an artifact is corrupt or holds no data set.
pub fn read(cx: &Context) -> Result<Loaded, Stop> {
    let values = VALUES.read(cx)?;
    let kind = if is_entries(&values) { matrix::ENTRIES } else { matrix::MATRIX };
    let mut tables = matrix::Tables::from([(kind.to_owned(), vec![values])]);
    tables.insert(matrix::TARGET.to_owned(), vec![TARGET.read(cx)?]);
    tables.insert(matrix::NAMES.to_owned(), vec![NAMES.read(cx)?]);
    matrix::decode(&tables).map_err(|e| Stop::Failed(e.to_string()))
}

/// The text whose words and spellings these inputs are.
///
/// # Errors
/// If an artifact is corrupt or holds no text.
pub fn corpus(cx: &Context, [words, vocabulary]: &[In<Any>; 2]) -> Result<Corpus, Stop> {
    corpus_table::decode(&words.read(cx)?, &vocabulary.read(cx)?)
        .map_err(|e| Stop::Failed(e.to_string()))
}

/// Dense columns are floats; only the table of entries has whole-number columns.
fn is_entries(values: &RecordBatch) -> bool {
    values.schema().fields().first().is_some_and(|field| *field.data_type() == DataType::UInt32)
}
