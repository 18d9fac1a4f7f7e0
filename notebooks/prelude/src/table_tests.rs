use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt32Array};

use super::*;

fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    Table::from_batch(&RecordBatch::try_from_iter(columns).unwrap(), "toy", "main", "ab").unwrap()
}

fn steps() -> Table {
    table(vec![
        ("method", Arc::new(StringArray::from(vec!["b", "a", "b"]))),
        ("step", Arc::new(UInt32Array::from(vec![1, 1, 2]))),
        ("loss", Arc::new(Float64Array::from(vec![Some(0.5), None, Some(0.25)]))),
        ("kept", Arc::new(BooleanArray::from(vec![true, false, true]))),
    ])
}

#[test]
fn columns_are_read_by_type() {
    let t = steps();
    assert_eq!(t.column::<f64>("step").unwrap(), [1.0, 1.0, 2.0]);
    assert!(t.column::<f64>("loss").unwrap()[1].is_nan());
    assert_eq!(t.column::<bool>("kept").unwrap(), [true, false, true]);
    assert_eq!(t.values("method").unwrap(), ["b", "a"]);
    assert_eq!((t.numbers().join(" "), t.texts().join(" ")), ("step loss".into(), "method".into()));
    assert_eq!(t.only("method", &["a"]).unwrap().numbers(), [""; 0], "one row has nothing to plot");
}

#[test]
fn a_wrong_column_names_those_there_are() {
    let message = steps().column::<f64>("method").unwrap_err().to_string();
    assert!(message.contains("toy") && message.contains("method (text), step (number)"));
}

#[test]
fn only_keeps_rows_and_join_pairs_them() {
    let times = table(vec![
        ("method", Arc::new(StringArray::from(vec!["a", "b"]))),
        ("step", Arc::new(UInt32Array::from(vec![1, 2]))),
        ("seconds", Arc::new(Float64Array::from(vec![7.0, 8.0]))),
    ]);
    let joined = steps().join(&times, &["method", "step"]).unwrap();
    assert_eq!(joined.column::<f64>("seconds").unwrap(), [7.0, 8.0]);
    assert_eq!(joined.only("method", &["b"]).unwrap().column::<f64>("loss").unwrap(), [0.25]);
    assert!(steps().join(&times, &["seed"]).is_err());
}

#[test]
fn joining_tells_close_numbers_apart() {
    let left = table(vec![("x", Arc::new(Float64Array::from(vec![0.1, 0.100_000_001])))]);
    let right = table(vec![
        ("x", Arc::new(Float64Array::from(vec![0.100_000_001]))),
        ("y", Arc::new(Float64Array::from(vec![1.0]))),
    ]);
    assert_eq!(left.join(&right, &["x"]).unwrap().rows(), 1);
}

#[test]
fn the_display_counts_and_names_the_key() {
    let html = steps().head(2).0;
    assert!(html.contains("2 of 3 rows") && html.contains("<code title=\"ab\">ab</code>"));
}

#[test]
fn tables_are_stacked_in_the_columns_of_the_first() {
    let printed = table(vec![
        ("step", Arc::new(UInt32Array::from(vec![3]))),
        ("method", Arc::new(StringArray::from(vec!["paper"]))),
        ("words", Arc::new(StringArray::from(vec!["not kept"]))),
    ]);
    let both = steps().stacked(&printed).unwrap();
    assert_eq!(both.column::<f64>("step").unwrap(), [1.0, 1.0, 2.0, 3.0]);
    assert_eq!(both.column::<String>("method").unwrap(), ["b", "a", "b", "paper"]);
    assert!(both.column::<f64>("loss").unwrap()[3].is_nan());
    assert_eq!(both.column::<bool>("kept").unwrap(), [true, false, true, false]);
    assert!(both.column::<String>("words").is_err());
    let other = table(vec![("step", Arc::new(StringArray::from(vec!["three"])))]);
    assert!(steps().stacked(&other).is_err());
    assert_eq!(both.times("step", 100.0).unwrap().column::<f64>("step").unwrap()[3], 300.0);
}
