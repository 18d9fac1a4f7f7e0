use std::borrow::Cow;

use arrow_array::{Array as _, UInt32Array};
use arrow_schema::DataType;
use proptest::prelude::*;

use super::*;
use crate::cell::{FiniteOrNull, NanIsNull};

#[derive(Row, Clone, Debug, PartialEq)]
struct Place {
    /// the data set
    data: String,
    /// repeat, from 0
    repeat: u32,
}

#[derive(Row, Clone, Debug, PartialEq)]
struct Tried {
    #[row(flatten)]
    place: Place,
    /// number within the run,
    /// from 0
    step: usize,
    /// error on the validation part
    error: f64,
    /// error on the held-out part
    held_out: Option<f64>,
    /// norm of the gradient
    #[row(with = NanIsNull)]
    gradient: f64,
    /// lower end of an interval
    #[row(with = FiniteOrNull)]
    low: f64,
    /// multiplications
    #[row(name = "multiply-adds")]
    work: u64,
    /// time of the processor
    #[row(unit = "s")]
    cpu_s: f64,
    /// whether it diverged
    diverged: bool,
    /// why it stopped
    r#type: Cow<'static, str>,
}

fn tried() -> impl Strategy<Value = Tried> {
    let number = || prop::num::f64::ANY;
    let place = (".{0,4}", any::<u32>()).prop_map(|(data, repeat)| Place { data, repeat });
    let numbers =
        (number(), prop::option::of(prop::num::f64::NORMAL), number(), number(), number());
    (place, any::<u32>(), numbers, any::<u64>(), any::<bool>(), ".{0,4}").prop_map(
        |(place, step, (error, held_out, gradient, low, cpu_s), work, diverged, why)| Tried {
            place,
            step: step as usize,
            error,
            held_out,
            gradient,
            low,
            work,
            cpu_s,
            diverged,
            r#type: Cow::Owned(why),
        },
    )
}

proptest! {
    #[test]
    fn rows_come_back_as_they_went(rows in prop::collection::vec(tried(), 0..20)) {
        let table = batch(&rows).unwrap();
        let read = super::read::<Tried>(&table).unwrap();
        prop_assert_eq!(read.len(), rows.len());
        for (read, row) in read.iter().zip(&rows) {
            // Bits: NaN is not equal to itself.
            let bits = |row: &Tried| [row.error, row.gradient, row.cpu_s].map(|x| if x.is_nan() { 0 } else { x.to_bits() });
            prop_assert_eq!(bits(read), bits(row));
            prop_assert_eq!(read.low.is_nan(), !row.low.is_finite());
            let rest = |row: &Tried| Tried { error: 0.0, gradient: 0.0, cpu_s: 0.0, low: 0.0, ..row.clone() };
            prop_assert_eq!(rest(read), rest(row));
        }
        // A missing value is missing in the table too, and not NaN.
        let nulls = |name: &str| table.column_by_name(name).unwrap().null_count();
        prop_assert_eq!(nulls("error"), 0);
        prop_assert_eq!(nulls("gradient"), rows.iter().filter(|row| row.gradient.is_nan()).count());
        prop_assert_eq!(nulls("held_out"), rows.iter().filter(|row| row.held_out.is_none()).count());
        prop_assert_eq!(nulls("low"), rows.iter().filter(|row| !row.low.is_finite()).count());
    }
}

#[test]
fn columns_are_the_fields_in_their_order_and_say_what_they_hold() {
    let table = batch::<Tried>(&[]).unwrap();
    let schema = table.schema();
    let columns: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| (field.name().as_str(), field.metadata()["description"].as_str()))
        .collect();
    let expected = [
        ("data", "the data set"),
        ("repeat", "repeat, from 0"),
        ("step", "number within the run, from 0"),
        ("error", "error on the validation part"),
        ("held_out", "error on the held-out part"),
        ("gradient", "norm of the gradient"),
        ("low", "lower end of an interval"),
        ("multiply-adds", "multiplications"),
        ("cpu_s", "time of the processor, s"),
        ("diverged", "whether it diverged"),
        ("type", "why it stopped"),
    ];
    assert_eq!(columns, expected);
    let kind = |name: &str| schema.field_with_name(name).unwrap().data_type().clone();
    let kinds = ["data", "step", "error", "multiply-adds", "diverged", "type"].map(kind);
    let expected = [
        DataType::Utf8,
        DataType::UInt32,
        DataType::Float64,
        DataType::UInt64,
        DataType::Boolean,
        DataType::Utf8,
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn descriptions_arrive_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.parquet");
    let rows = [Place { data: "iris".to_owned(), repeat: 3 }];
    pipeline::table::write(&path, &batch(&rows).unwrap()).unwrap();
    let table = pipeline::table::read(&path).unwrap();
    assert_eq!(table.schema().field(1).metadata()["description"], "repeat, from 0");
    assert_eq!(super::read::<Place>(&table).unwrap(), rows);
}

#[test]
fn a_table_that_lacks_a_column_is_refused_by_the_columns_name() {
    let table = batch(&[Place { data: "iris".to_owned(), repeat: 3 }]).unwrap();
    let error = super::read::<Tried>(&table).unwrap_err().to_string();
    assert_eq!(error, "the table has no column `step`");
    let text = Columns::new().cells::<u32>("data", "no text", &[&1]).batch().unwrap();
    let error = super::read::<Place>(&text).unwrap_err().to_string();
    assert_eq!(error, "column `data` is UInt32, expected Utf8");
}

#[test]
fn a_count_that_is_too_large_is_the_largest() {
    let column = <usize as crate::cell::Cell>::array(&[&7, &usize::MAX]);
    assert_eq!(column.as_any().downcast_ref(), Some(&UInt32Array::from(vec![7, u32::MAX])));
}
