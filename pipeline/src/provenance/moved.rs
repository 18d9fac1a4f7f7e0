//! By how much a table changed: for two tables of one output, the largest difference in each numeric column, and how
//! many values differ in the other columns. Rows are compared in order; tables of different lengths are compared up
//! to the length of the shorter one.

use arrow_array::{Array, Float64Array, RecordBatch, cast::AsArray, types::Float64Type};
use arrow_schema::DataType;
use serde::Serialize;

/// How one column moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The column.
    pub column: String,
    /// Rows whose values differ.
    pub rows: usize,
    /// The values that differ most, if the column is numeric.
    pub most: Option<Most>,
}

/// The largest difference of a column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Most {
    /// The row, from 0.
    pub row: usize,
    /// The earlier value.
    pub old: f64,
    /// The later value.
    pub new: f64,
}

/// How two tables differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Rows before and after.
    pub rows: (usize, usize),
    /// Columns that are gone.
    pub gone: Vec<String>,
    /// Columns that were added.
    pub came: Vec<String>,
    /// Columns with different values.
    pub moved: Vec<Moved>,
}

/// Compares two tables of one output.
#[must_use]
pub fn compare(old: &RecordBatch, new: &RecordBatch) -> Difference {
    let names = |batch: &RecordBatch| -> Vec<String> {
        batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    };
    let (before, after) = (names(old), names(new));
    let rows = old.num_rows().min(new.num_rows());
    let both = after.iter().filter_map(|name| {
        let (a, b) = (old.column_by_name(name)?, new.column_by_name(name)?);
        column(name, &a.slice(0, rows), &b.slice(0, rows))
    });
    Difference {
        rows: (old.num_rows(), new.num_rows()),
        moved: both.collect(),
        gone: before.iter().filter(|name| !after.contains(name)).cloned().collect(),
        came: after.iter().filter(|name| !before.contains(name)).cloned().collect(),
    }
}

fn column(name: &str, old: &dyn Array, new: &dyn Array) -> Option<Moved> {
    let moved = |rows, most| Some(Moved { column: name.to_owned(), rows, most });
    let other = |i: usize| old.slice(i, 1).to_data() != new.slice(i, 1).to_data();
    let (Some(a), Some(b)) = (numbers(old), numbers(new)) else {
        return match (0..old.len()).filter(|&i| other(i)).count() {
            0 => None,
            rows => moved(rows, None),
        };
    };
    let pair = |i: usize| {
        let at = |column: &Float64Array| if column.is_null(i) { f64::NAN } else { column.value(i) };
        (at(&a), at(&b))
    };
    let differs = |&i: &usize| {
        let (a, b) = pair(i);
        // Whole numbers beyond this may differ and still be the same double.
        let wide = a.abs() >= 9_007_199_254_740_992.0 && other(i);
        wide || a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan())
    };
    let rows: Vec<usize> = (0..a.len()).filter(differs).collect();
    // A value that appears or disappears (NaN) counts as the largest difference.
    let size = |&i: &usize| {
        let (a, b) = pair(i);
        let size = (a - b).abs();
        if size.is_nan() { f64::INFINITY } else { size }
    };
    // Of equal ones, the first.
    let most = rows.iter().copied().reduce(|best, i| if size(&i) > size(&best) { i } else { best });
    moved(rows.len(), most.map(|row| Most { row, old: pair(row).0, new: pair(row).1 }))
        .filter(|moved| moved.rows > 0)
}

/// A numeric column as doubles.
fn numbers(column: &dyn Array) -> Option<Float64Array> {
    use arrow_array::types;
    macro_rules! cast {
        ($kind:ty, $to:expr) => {
            Some(column.as_primitive::<$kind>().unary::<_, Float64Type>($to))
        };
    }
    match column.data_type() {
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().clone()),
        DataType::Float32 => cast!(types::Float32Type, f64::from),
        DataType::Int32 => cast!(types::Int32Type, f64::from),
        DataType::UInt32 => cast!(types::UInt32Type, f64::from),
        DataType::Int64 => cast!(types::Int64Type, |n: i64| n as f64),
        DataType::UInt64 => cast!(types::UInt64Type, |n: u64| n as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    }

    #[test]
    fn the_largest_difference_of_each_column_is_found() {
        let loss = |values: [f64; 3]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
        let count = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let name = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
        let old = table(vec![
            ("loss", loss([1.0, 2.0, f64::NAN])),
            ("count", count(vec![1, 2, 3])),
            ("name", name(["a", "b", "c"])),
            ("old", count(vec![0, 0, 0])),
        ]);
        let new = table(vec![
            ("loss", loss([1.5, 1.0, f64::NAN])),
            ("count", count(vec![1, 2, 3])),
            ("name", name(["a", "x", "c"])),
            ("new", count(vec![0, 0, 0])),
        ]);
        let found = compare(&old, &new);
        let most = Most { row: 1, old: 2.0, new: 1.0 };
        let moved = |column: &str, rows, most| Moved { column: column.to_owned(), rows, most };
        assert_eq!(found.moved, [moved("loss", 2, Some(most)), moved("name", 1, None)]);
        assert_eq!((found.gone, found.came), (vec!["old".to_owned()], vec!["new".to_owned()]));
        assert_eq!(compare(&old, &old).moved, []);
    }

    #[test]
    fn tables_of_different_lengths_are_compared_as_far_as_both_go() {
        let old = table(vec![("n", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef)]);
        let new = table(vec![("n", Arc::new(Int64Array::from(vec![1, 5, 9])) as ArrayRef)]);
        let found = compare(&old, &new);
        assert_eq!(found.rows, (2, 3));
        assert_eq!(found.moved[0].most, Some(Most { row: 1, old: 2.0, new: 5.0 }));
    }
}
