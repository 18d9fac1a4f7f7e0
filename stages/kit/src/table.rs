//! Columns → Arrow → the store, and back. Every column says what it holds and in which unit: the text travels
//! in the Parquet file.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
    cast::AsArray,
    types::{Float64Type, UInt32Type, UInt64Type},
};
use arrow_schema::{DataType, Field, Schema};

use crate::cell::{Cell, ReadCell};

/// A table that is not what its reader expects.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl TableError {
    /// What is wrong with the table.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl From<TableError> for pipeline::stage::Stop {
    fn from(error: TableError) -> Self {
        Self::Failed(error.0)
    }
}

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

    /// A column whose values stand in it as `C` says.
    #[must_use]
    pub fn cells<C: Cell>(self, name: &str, what: &str, values: &[&C::Value]) -> Self {
        self.push(name, what, C::array(values))
    }

    /// Text.
    #[must_use]
    pub fn text<S: AsRef<str>>(
        self,
        name: &str,
        what: &str,
        values: impl IntoIterator<Item = S>,
    ) -> Self {
        self.push(name, what, Arc::new(StringArray::from_iter_values(values)))
    }

    /// Real numbers.
    #[must_use]
    pub fn real(self, name: &str, what: &str, values: impl IntoIterator<Item = f64>) -> Self {
        self.push(name, what, Arc::new(Float64Array::from_iter_values(values)))
    }

    /// Real numbers, some of which do not exist.
    #[must_use]
    pub fn maybe(
        self,
        name: &str,
        what: &str,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        self.push(name, what, Arc::new(values.into_iter().collect::<Float64Array>()))
    }

    /// Small counts and indices.
    #[must_use]
    pub fn index(self, name: &str, what: &str, values: impl IntoIterator<Item = u32>) -> Self {
        self.push(name, what, Arc::new(UInt32Array::from_iter_values(values)))
    }

    /// Counts.
    #[must_use]
    pub fn count(self, name: &str, what: &str, values: impl IntoIterator<Item = u64>) -> Self {
        self.push(name, what, Arc::new(UInt64Array::from_iter_values(values)))
    }

    /// Yes or no.
    #[must_use]
    pub fn flag(self, name: &str, what: &str, values: impl IntoIterator<Item = bool>) -> Self {
        let values: Vec<bool> = values.into_iter().collect();
        self.push(name, what, Arc::new(BooleanArray::from(values)))
    }

    /// The table.
    ///
    /// # Errors
    /// When the columns differ in length.
    pub fn batch(self) -> Result<RecordBatch, TableError> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.arrays)
            .map_err(|e| TableError(e.to_string()))
    }
}

/// `table` with the columns of `new` in the place of those that have the same names.
///
/// # Errors
/// When a column of `new` has no counterpart of its type and length.
pub fn replaced(table: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, TableError> {
    let mut columns = table.columns().to_vec();
    for (field, column) in new.schema().fields().iter().zip(new.columns()) {
        let at = table.schema().index_of(field.name()).map_err(|e| TableError(e.to_string()))?;
        columns[at] = Arc::clone(column);
    }
    RecordBatch::try_new(table.schema(), columns).map_err(|e| TableError(e.to_string()))
}

/// Reads columns by name.
#[derive(Clone, Copy)]
pub struct Rows<'a>(pub &'a RecordBatch);

impl Rows<'_> {
    /// How many rows there are.
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
            .ok_or_else(|| TableError(format!("the table has no column `{name}`")))?;
        if column.data_type() == kind {
            Ok(column)
        } else {
            Err(TableError(format!("column `{name}` is {}, expected {kind}", column.data_type())))
        }
    }

    /// A column whose values stand in it as `C` says.
    ///
    /// # Errors
    /// When there is no such column, or it is of another type.
    pub fn cells<C: ReadCell>(&self, name: &str) -> Result<Vec<C::Value>, TableError> {
        C::values(self.column(name, &C::TYPE)?)
    }

    /// A column of text.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn text(&self, name: &str) -> Result<Vec<String>, TableError> {
        let column = self.column(name, &DataType::Utf8)?.as_string::<i32>();
        Ok(column.iter().map(|value| value.unwrap_or_default().to_owned()).collect())
    }

    /// A column of real numbers; what does not exist is NaN.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn real(&self, name: &str) -> Result<Vec<f64>, TableError> {
        let column = self.column(name, &DataType::Float64)?.as_primitive::<Float64Type>();
        Ok(column.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }

    /// A column of small counts.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn index(&self, name: &str) -> Result<Vec<u32>, TableError> {
        Ok(self.column(name, &DataType::UInt32)?.as_primitive::<UInt32Type>().values().to_vec())
    }

    /// A column of counts.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn count(&self, name: &str) -> Result<Vec<u64>, TableError> {
        Ok(self.column(name, &DataType::UInt64)?.as_primitive::<UInt64Type>().values().to_vec())
    }

    /// A column of flags.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn flag(&self, name: &str) -> Result<Vec<bool>, TableError> {
        let column = self.column(name, &DataType::Boolean)?.as_boolean();
        Ok(column.iter().map(Option::unwrap_or_default).collect())
    }
}
