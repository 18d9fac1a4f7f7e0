//! Defines how values are stored in a column.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, StringArray, UInt32Array, UInt64Array,
    cast::AsArray,
    types::{Float64Type, UInt32Type, UInt64Type},
};
use arrow_schema::DataType;

use crate::table_error::TableError;

/// How values are written to a column. A type that is a cell defines this for its own values.
pub trait Cell {
    /// The values that are written.
    type Value;

    /// The column of these values.
    fn array(values: &[&Self::Value]) -> ArrayRef;
}

/// How these values are read.
pub trait ReadCell: Cell {
    /// The type of the column.
    const TYPE: DataType;

    /// The values of a column of that type.
    ///
    /// # Errors
    /// If a value is not one that could have been written.
    fn values(column: &ArrayRef) -> Result<Vec<Self::Value>, TableError>;
}

/// Defines a cell: the type that is written, the type of its column, the array of an iterator, the iterator
/// over an array.
macro_rules! cell {
    ($cell:ty: $value:ty, $kind:ident, |$values:ident| $array:expr, |$column:ident| $read:expr) => {
        impl Cell for $cell {
            type Value = $value;

            fn array(values: &[&$value]) -> ArrayRef {
                let $values = values.iter().copied();
                Arc::new($array)
            }
        }

        impl ReadCell for $cell {
            const TYPE: DataType = DataType::$kind;

            fn values($column: &ArrayRef) -> Result<Vec<$value>, TableError> {
                Ok($read.collect())
            }
        }
    };
}

// Real numbers; missing ones are read as NaN.
cell!(f64: f64, Float64, |values| Float64Array::from_iter_values(values.copied()), |column| {
    reals(column).map(|value| value.unwrap_or(f64::NAN))
});
// Real numbers, some of which are missing.
cell!(
    Option<f64>: Option<f64>,
    Float64,
    |values| values.copied().collect::<Float64Array>(),
    |column| reals(column)
);
// Small counts and indices.
cell!(u32: u32, UInt32, |values| UInt32Array::from_iter_values(values.copied()), |column| {
    column.as_primitive::<UInt32Type>().values().iter().copied()
});
// The same as `usize`; values above 2³² − 1 are written as 2³² − 1.
cell!(
    usize: usize,
    UInt32,
    |values| {
        UInt32Array::from_iter_values(values.map(|&value| u32::try_from(value).unwrap_or(u32::MAX)))
    },
    |column| column.as_primitive::<UInt32Type>().values().iter().map(|&value| value as usize)
);
// Counts.
cell!(u64: u64, UInt64, |values| UInt64Array::from_iter_values(values.copied()), |column| {
    column.as_primitive::<UInt64Type>().values().iter().copied()
});
// Booleans.
cell!(
    bool: bool,
    Boolean,
    |values| BooleanArray::from(values.copied().collect::<Vec<_>>()),
    |column| column.as_boolean().iter().map(Option::unwrap_or_default)
);
// Text.
cell!(String: String, Utf8, |values| StringArray::from_iter_values(values), |column| {
    texts(column)
});
// Text that is usually a constant of the program.
cell!(
    Cow<'static, str>: Cow<'static, str>,
    Utf8,
    |values| StringArray::from_iter_values(values),
    |column| texts(column).map(Cow::Owned)
);

fn reals(column: &ArrayRef) -> impl Iterator<Item = Option<f64>> {
    column.as_primitive::<Float64Type>().iter()
}

fn texts(column: &ArrayRef) -> impl Iterator<Item = String> {
    column.as_string::<i32>().iter().map(|value| value.unwrap_or_default().to_owned())
}

/// Text that the row borrows.
impl<'a> Cell for &'a str {
    type Value = &'a str;

    fn array(values: &[&&'a str]) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(values.iter().copied()))
    }
}

/// Real numbers where NaN is a missing value: `#[row(with = NanIsNull)]`.
pub struct NanIsNull;

cell!(
    NanIsNull: f64,
    Float64,
    |values| values.map(|&value| (!value.is_nan()).then_some(value)).collect::<Float64Array>(),
    |column| reals(column).map(|value| value.unwrap_or(f64::NAN))
);

/// Real numbers where a value that is not finite is a missing value: `#[row(with = FiniteOrNull)]`.
pub struct FiniteOrNull;

cell!(
    FiniteOrNull: f64,
    Float64,
    |values| values.map(|&value| value.is_finite().then_some(value)).collect::<Float64Array>(),
    |column| reals(column).map(|value| value.unwrap_or(f64::NAN))
);

/// Values that are stored in a column as text: a cell for types that define how they are written and read.
pub trait Coded {
    /// The values that are written.
    type Value;
    /// What the text denotes, for messages.
    const WHAT: &'static str;

    /// The text of a value.
    fn code(value: &Self::Value) -> String;

    /// The value of a text; `None` if the text is not one of a value.
    fn decode(text: &str) -> Option<Self::Value>;
}

impl<C: Coded> Cell for C {
    type Value = C::Value;

    fn array(values: &[&C::Value]) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(values.iter().map(|value| C::code(value))))
    }
}

impl<C: Coded> ReadCell for C {
    const TYPE: DataType = DataType::Utf8;

    fn values(column: &ArrayRef) -> Result<Vec<C::Value>, TableError> {
        let read = |(i, text): (usize, String)| {
            C::decode(&text)
                .ok_or_else(|| TableError::new(format!("row {i}: `{text}` is no {}", C::WHAT)))
        };
        texts(column).enumerate().map(read).collect()
    }
}
