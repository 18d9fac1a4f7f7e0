//! Rows of tables: structs whose fields are the columns.
//!
//! `#[derive(Row)]` makes a struct with named fields a row. Each field is a column of its name, in the order
//! of the struct; the documentation of the field is the description of the column, word by word, and is kept
//! in the Parquet file. So it is written for readers of the table, and an edit of it gives a different
//! result.
//!
//! | on a field | the column |
//! |---|---|
//! | `#[row(name = "p-value")]` | has another name than the field |
//! | `#[row(unit = "s")]` | says its unit too, after a comma |
//! | `#[row(with = NanIsNull)]` | holds values in another way than their type's, see [`crate::cell`] |
//! | `#[row(flatten)]` | none: the field is a row, whose columns take its place |
//!
//! A struct that borrows, by a lifetime or a reference, can only be written.
//!
//! ```
//! use kit::row::{self, Row};
//!
//! #[derive(Row, Debug, PartialEq)]
//! struct Tried {
//!     /// number within the run, from 0
//!     step: usize,
//!     /// error on the validation part; none where the training failed
//!     error: Option<f64>,
//!     /// CPU time
//!     #[row(name = "cpu", unit = "s")]
//!     cpu_s: f64,
//! }
//!
//! let rows = [Tried { step: 0, error: None, cpu_s: 0.5 }, Tried { step: 1, error: Some(0.25), cpu_s: 1.0 }];
//! let table = row::batch(&rows)?;
//! assert_eq!(table.schema().field(2).name(), "cpu");
//! assert_eq!(table.schema().field(2).metadata()["description"], "CPU time, s");
//! assert_eq!(row::read::<Tried>(&table)?, rows);
//! # Ok::<(), kit::table::TableError>(())
//! ```
//!
//! A column without a description is rejected:
//!
//! ```compile_fail
//! #[derive(kit::row::Row)]
//! struct Silent {
//!     error: f64,
//! }
//! ```
//!
//! and so is reading into a struct that borrows:
//!
//! ```compile_fail
//! #[derive(kit::row::Row)]
//! struct Borrowed {
//!     /// the method
//!     method: &'static str,
//! }
//! fn read(table: &arrow_array::RecordBatch) {
//!     let _ = kit::row::read::<Borrowed>(table);
//! }
//! ```

use arrow_array::RecordBatch;
pub use derive::Row;

use crate::table::{Columns, Rows, TableError};

/// A row that can be written.
pub trait Row: Sized {
    /// The table with the columns of these rows after those that it has.
    fn add(rows: &[&Self], table: Columns) -> Columns;
}

/// A row that can be read.
pub trait ReadRow: Row {
    /// All rows of the table, which may have more columns.
    ///
    /// # Errors
    /// If a column is missing or of another type.
    fn read(table: Rows) -> Result<Vec<Self>, TableError>;
}

/// The table of these rows.
///
/// # Errors
/// If two columns differ in length, which cannot happen for a derived row.
pub fn batch<R: Row>(rows: &[R]) -> Result<RecordBatch, TableError> {
    R::add(&rows.iter().collect::<Vec<_>>(), Columns::new()).batch()
}

/// The rows of this table.
///
/// # Errors
/// If a column is missing or of another type.
pub fn read<R: ReadRow>(table: &RecordBatch) -> Result<Vec<R>, TableError> {
    R::read(Rows(table))
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
