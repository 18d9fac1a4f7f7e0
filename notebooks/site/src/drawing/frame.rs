//! Reads a table of an artifact by columns. A missing number is NaN, a missing text is empty.

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type},
};
use pipeline::artifacts::Artifacts;

use crate::{
    error::{Error, Result},
    sources::Problem,
};

/// A table, with its stage and output names.
pub struct Frame {
    stage: String,
    output: String,
    batch: RecordBatch,
}

impl Frame {
    /// The table `output` of `stage`; `None` if the stage has no result.
    ///
    /// # Errors
    /// If the result has no such output, or it is corrupt.
    pub fn find(artifacts: &Artifacts, stage: &str, output: &str) -> Result<Option<Self>> {
        if artifacts.key(stage).is_err() {
            return Ok(None);
        }
        Self::read(artifacts, stage, output).map(Some)
    }

    /// The table `output` of `stage`.
    ///
    /// # Errors
    /// If there is none, or it is corrupt.
    pub fn read(artifacts: &Artifacts, stage: &str, output: &str) -> Result<Self> {
        let batch = artifacts.table(stage, output)?;
        Ok(Self { stage: stage.to_owned(), output: output.to_owned(), batch })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn get<T>(
        &self,
        column: &str,
        wanted: &'static str,
        read: impl Fn(&dyn Array) -> Option<Vec<T>>,
    ) -> Result<Vec<T>> {
        let found = self.batch.column_by_name(column).and_then(|array| read(array));
        found.ok_or_else(|| {
            let schema = self.batch.schema();
            let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
            Error::Column {
                stage: self.stage.clone(),
                output: self.output.clone(),
                column: column.to_owned(),
                wanted,
                present: names.join(", "),
            }
        })
    }

    /// A column of texts.
    ///
    /// # Errors
    /// If there is none with this name and type.
    pub fn text(&self, column: &str) -> Result<Vec<String>> {
        self.get(column, "text", |array| {
            let array = array.as_string_opt::<i32>()?;
            Some(array.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
        })
    }

    /// A column of numbers of any width.
    ///
    /// # Errors
    /// If there is none with this name and type.
    pub fn number(&self, column: &str) -> Result<Vec<f64>> {
        self.get(column, "number", numbers)
    }

    /// A column of truth values.
    ///
    /// # Errors
    /// When there is none of this name and type.
    pub fn flag(&self, column: &str) -> Result<Vec<bool>> {
        self.get(column, "flag", |array| {
            let array = array.as_boolean_opt()?;
            Some(array.iter().map(|flag| flag.unwrap_or(false)).collect())
        })
    }

    /// A column as texts that distinguish its values, whatever its type.
    ///
    /// # Errors
    /// If there is no such column, or it is neither text nor number.
    pub fn label(&self, column: &str) -> Result<Vec<String>> {
        self.text(column).or_else(|_| Ok(self.number(column)?.iter().map(f64::to_string).collect()))
    }

    /// The problem of each row.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn problems(&self, problem: &Problem) -> Result<Vec<String>> {
        match problem {
            Problem::Column(column) => self.label(column),
            Problem::Only(name) => Ok(vec![(*name).to_owned(); self.rows()]),
        }
    }
}

#[expect(clippy::cast_lossless, reason = "one macro for all widths")]
fn numbers(array: &dyn Array) -> Option<Vec<f64>> {
    macro_rules! widths {
        ($($type:ty),*) => {$(
            if let Some(array) = array.as_primitive_opt::<$type>() {
                return Some(array.iter().map(|v| v.map_or(f64::NAN, |v| v as f64)).collect());
            }
        )*};
    }
    widths!(Float64Type, Float32Type, UInt32Type, UInt64Type, Int32Type, Int64Type);
    None
}
