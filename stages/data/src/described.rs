//! Builds tables whose columns carry a description, as every table of the store does.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema};

/// A column: its name, what it holds, its values.
pub(super) type Column<'a> = (&'a str, &'a str, ArrayRef);

/// The table of `columns`, none of which has a null. Without columns it has no rows.
///
/// # Errors
/// If the columns differ in length.
pub(super) fn batch(columns: Vec<Column<'_>>) -> Result<RecordBatch, ArrowError> {
    let field = |(name, about, column): &Column<'_>| {
        // Only one entry: several would have no fixed order.
        let about = HashMap::from([("description".to_owned(), (*about).to_owned())]);
        Field::new(*name, column.data_type().clone(), false).with_metadata(about)
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns: Vec<ArrayRef> = columns.into_iter().map(|(.., column)| column).collect();
    let rows = columns.first().map_or(0, |column| column.len());
    let rows = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &rows)
}
