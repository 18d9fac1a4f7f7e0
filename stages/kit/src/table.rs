//! Writes columns to the store by way of Arrow, and reads them back. Every column has a description with its
//! unit, which is kept in the Parquet file. Most tables are defined by rows, see [`crate::row`], which are
//! built on this module; it is used directly for tables whose columns are only known at run time.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::cell::{Cell, ReadCell};
pub use crate::table_error::TableError;

/// Builds a table column by column.
#[derive(Default)]
pub struct Columns {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    /// No columns yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn push(mut self, name: &str, what: &str, array: ArrayRef) -> Self {
        let nullable = array.null_count() > 0 || *array.data_type() == DataType::Float64;
        let about = HashMap::from([("description".to_owned(), what.to_owned())]);
        self.fields
            .push(Field::new(name, array.data_type().clone(), nullable).with_metadata(about));
        self.arrays.push(array);
        self
    }

    /// A column whose values are stored as `C` defines.
    #[must_use]
    pub fn cells<C: Cell>(self, name: &str, what: &str, values: &[&C::Value]) -> Self {
        self.push(name, what, C::array(values))
    }

    /// The table.
    ///
    /// # Errors
    /// If the columns differ in length.
    pub fn batch(self) -> Result<RecordBatch, TableError> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .map_err(|e| TableError::new(e.to_string()))
    }
}

/// Reads columns by name.
#[derive(Clone, Copy)]
pub struct Rows<'a>(pub &'a RecordBatch);

impl Rows<'_> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.num_rows()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<&ArrayRef, TableError> {
        let column = self
            .0
            .column_by_name(name)
            .ok_or_else(|| TableError::new(format!("the table has no column `{name}`")))?;
        if column.data_type() == kind {
            Ok(column)
        } else {
            Err(TableError::new(format!(
                "column `{name}` is {}, expected {kind}",
                column.data_type()
            )))
        }
    }

    /// A column whose values are stored as `C` defines.
    ///
    /// # Errors
    /// If there is no such column, or it is of another type.
    pub fn cells<C: ReadCell>(&self, name: &str) -> Result<Vec<C::Value>, TableError> {
        C::values(self.column(name, &C::TYPE)?)
    }
}
