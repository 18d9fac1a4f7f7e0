//! Converts a [`Loaded`] to Arrow tables and back, without loss.
//!
//! A data set is three tables: its values, `target` (one column of that name) and `names` (`kind` = `feature`
//! or `class`, `name`, in order). The values of dense data are in `matrix` (one column per feature, named
//! after it), those of sparse data in `entries` (`row`, `col`, `value` of the stored values in row order). A
//! feature column is Float32 if that is exact for every value, otherwise Float64; a target is `UInt32` for
//! classes, otherwise `Float64`. Nothing is kept in the metadata of the schema, whose order is not fixed;
//! each column carries a description.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType};
use ndarray::{Array2, Axis};

use super::described::{self, Column};
use super::loaded::{Features, Loaded, Sparse, Target};

/// Name of the table of dense data.
pub const MATRIX: &str = "matrix";
/// Name of the table of the stored values of sparse data.
pub const ENTRIES: &str = "entries";
/// Name of the target table and of its column.
pub const TARGET: &str = "target";
/// Name of the table of feature and class names.
pub const NAMES: &str = "names";

/// The description of a column of values.
const FEATURE: &str = "feature of the data set, under its publisher's name and in its unit";

/// Tables by name; a table can consist of several batches.
pub type Tables = BTreeMap<String, Vec<RecordBatch>>;

/// Data that cannot be written to tables, or tables that hold no data set.
#[derive(Debug, thiserror::Error)]
pub enum MatrixError {
    /// The data are inconsistent.
    #[error("cannot store the data set: {0}")]
    Fault(&'static str),
    /// Two columns would have one name.
    #[error("two columns of the data set have the name `{0}`")]
    DuplicateName(String),
    /// A required table or column is missing or has another type.
    #[error("table `{table}` of the data set: {what}")]
    Table {
        /// The table.
        table: &'static str,
        /// Its fault.
        what: String,
    },
    /// Arrow reported an error.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

/// The tables of `loaded`.
///
/// # Errors
/// If the data contradict themselves ([`Loaded::fault`]) or two columns have one name.
pub fn encode(loaded: &Loaded) -> Result<Tables, MatrixError> {
    if let Some(fault) = loaded.fault() {
        return Err(MatrixError::Fault(fault));
    }
    let target = match &loaded.y {
        Target::Classes { labels, .. } => array(UInt32Array::from(labels.clone())),
        Target::Real(values) => array(Float64Array::from(values.clone())),
    };
    let about = match &loaded.y {
        Target::Classes { .. } => "number of the class, in the order of the table of names",
        Target::Real(_) => "what is to be predicted, in its publisher's unit",
    };
    let target = batch(vec![(TARGET, about, target)])?;
    let mut tables = vec![(NAMES, names_table(loaded)?), (TARGET, target)];
    match &loaded.x {
        Features::Dense(x) => {
            let columns: Vec<Column<'_>> = loaded
                .feature_names
                .iter()
                .zip(x.axis_iter(Axis(1)))
                .map(|(name, column)| (name.as_str(), FEATURE, narrowest(column.to_vec())))
                .collect();
            tables.push((MATRIX, batch(columns)?));
        }
        Features::Sparse(x) => {
            let rows = (0..x.rows)
                .flat_map(|i| std::iter::repeat_n(i as u32, x.indptr[i + 1] - x.indptr[i]));
            let columns = vec![
                ("row", "row of the data set, from 0", array(UInt32Array::from_iter_values(rows))),
                (
                    "col",
                    "number of the feature, from 0",
                    array(UInt32Array::from(x.indices.clone())),
                ),
                ("value", FEATURE, array(Float64Array::from(x.values.clone()))),
            ];
            tables.push((ENTRIES, batch(columns)?));
        }
    }
    Ok(tables.into_iter().map(|(name, batch)| (name.to_owned(), vec![batch])).collect())
}

/// The data set in `tables`.
///
/// # Errors
/// If a table or column is missing or of another type, or the content contradicts itself.
pub fn decode(tables: &Tables) -> Result<Loaded, MatrixError> {
    let (feature_names, class_names) = decode_names(table(tables, NAMES)?)?;
    let y = decode_target(table(tables, TARGET)?, TARGET, class_names)?;
    let x = if let Ok(batches) = table(tables, MATRIX) {
        let mut x = Array2::zeros((y.len(), feature_names.len()));
        for (name, mut column) in feature_names.iter().zip(x.axis_iter_mut(Axis(1))) {
            let values = reals(batches, MATRIX, name)?;
            if values.len() != column.len() {
                return Err(fault(MATRIX, format!("column `{name}` is not as long as the target")));
            }
            column.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        }
        Features::Dense(x)
    } else {
        let batches = table(tables, ENTRIES)?;
        let rows = whole(batches, ENTRIES, "row")?;
        if !rows.is_sorted() || rows.last().is_some_and(|&last| last as usize >= y.len()) {
            return Err(fault(ENTRIES, "`row` is not ascending or out of range"));
        }
        let sparse = Sparse {
            rows: y.len(),
            cols: feature_names.len(),
            indptr: (0..=y.len()).map(|i| rows.partition_point(|&r| (r as usize) < i)).collect(),
            indices: whole(batches, ENTRIES, "col")?,
            values: reals(batches, ENTRIES, "value")?,
        };
        Features::Sparse(sparse)
    };
    let loaded = Loaded { x, y, feature_names };
    match loaded.fault() {
        Some(fault) => Err(MatrixError::Fault(fault)),
        None => Ok(loaded),
    }
}

fn fault(table: &'static str, what: impl Into<String>) -> MatrixError {
    MatrixError::Table { table, what: what.into() }
}

fn array(values: impl Array + 'static) -> ArrayRef {
    Arc::new(values)
}

/// Float32 if that loses nothing, not even the sign of a zero.
fn narrowest(values: Vec<f64>) -> ArrayRef {
    let exact = |&value: &f64| f64::from(value as f32).to_bits() == value.to_bits();
    if values.iter().all(exact) {
        array(Float32Array::from_iter_values(values.into_iter().map(|value| value as f32)))
    } else {
        array(Float64Array::from(values))
    }
}

fn batch(columns: Vec<Column<'_>>) -> Result<RecordBatch, MatrixError> {
    let mut seen = BTreeSet::new();
    if let Some((name, ..)) = columns.iter().find(|(name, ..)| !seen.insert(*name)) {
        return Err(MatrixError::DuplicateName((*name).to_owned()));
    }
    Ok(described::batch(columns)?)
}

fn names_table(loaded: &Loaded) -> Result<RecordBatch, MatrixError> {
    let classes: &[String] = match &loaded.y {
        Target::Classes { names, .. } => names,
        Target::Real(_) => &[],
    };
    let features = loaded.feature_names.iter().map(|name| ("feature", name.as_str()));
    let all: Vec<_> = features.chain(classes.iter().map(|name| ("class", name.as_str()))).collect();
    let kind = StringArray::from_iter_values(all.iter().map(|&(kind, _)| kind));
    let name = StringArray::from_iter_values(all.iter().map(|&(_, name)| name));
    batch(vec![
        ("kind", "feature or class", array(kind)),
        ("name", "its name, in order of its number", array(name)),
    ])
}

fn decode_names(batches: &[RecordBatch]) -> Result<(Vec<String>, Vec<String>), MatrixError> {
    let (mut features, mut classes) = (Vec::new(), Vec::new());
    for batch in batches {
        let texts = |name| {
            let column = batch.column_by_name(name).and_then(|c| c.as_string_opt::<i32>());
            column.ok_or_else(|| fault(NAMES, format!("no text column `{name}`")))
        };
        for (kind, name) in texts("kind")?.iter().zip(texts("name")?) {
            match (kind, name) {
                (Some("feature"), Some(name)) => features.push(name.to_owned()),
                (Some("class"), Some(name)) => classes.push(name.to_owned()),
                _ => return Err(fault(NAMES, format!("unknown kind {kind:?} or no name"))),
            }
        }
    }
    Ok((features, classes))
}

fn decode_target(
    batches: &[RecordBatch],
    name: &'static str,
    names: Vec<String>,
) -> Result<Target, MatrixError> {
    let classes = batches.iter().all(|batch| {
        batch.column_by_name(TARGET).is_some_and(|c| *c.data_type() == DataType::UInt32)
    });
    if classes {
        Ok(Target::Classes { labels: whole(batches, name, TARGET)?, names })
    } else {
        Ok(Target::Real(reals(batches, name, TARGET)?))
    }
}

fn table<'a>(tables: &'a Tables, name: &'static str) -> Result<&'a [RecordBatch], MatrixError> {
    tables.get(name).map(Vec::as_slice).ok_or_else(|| fault(name, "not there"))
}

/// A column of reals, over all batches.
fn reals(
    batches: &[RecordBatch],
    table: &'static str,
    name: &str,
) -> Result<Vec<f64>, MatrixError> {
    let mut values = Vec::new();
    for batch in batches {
        let column = batch.column_by_name(name).filter(|column| column.null_count() == 0);
        let wide = column.and_then(|c| c.as_primitive_opt::<Float64Type>());
        let narrow = column.and_then(|c| c.as_primitive_opt::<Float32Type>());
        match (wide, narrow) {
            (Some(column), _) => values.extend_from_slice(column.values()),
            (_, Some(column)) => values.extend(column.values().iter().map(|&v| f64::from(v))),
            _ => return Err(fault(table, format!("no column `{name}` of reals without nulls"))),
        }
    }
    Ok(values)
}

/// A column of whole numbers, over all batches.
fn whole(
    batches: &[RecordBatch],
    table: &'static str,
    name: &str,
) -> Result<Vec<u32>, MatrixError> {
    let mut values = Vec::new();
    for batch in batches {
        let column = batch.column_by_name(name).filter(|column| column.null_count() == 0);
        let column = column.and_then(|c| c.as_primitive_opt::<UInt32Type>());
        let what = || fault(table, format!("no column `{name}` of whole numbers without nulls"));
        values.extend_from_slice(column.ok_or_else(what)?.values());
    }
    Ok(values)
}

#[cfg(test)]
mod tests;
