//! Reads static code warnings: features of each warning of an analyser, and whether a developer acted upon
//! it. A project has two files, whose columns differ.
//!
//! DIFFERS: the code of \[Yedida2024\] rounds the features to single precision on reading. Here they stay as
//! they are in the files.

use ndarray::Array2;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::records::Records;

/// The column with the label.
const LABEL: &str = "category";

/// The rows of the older file (`train`), then those of the newer one (`test`), in the order of the
/// files, with the columns that both have and that hold numbers in every row (or `true` and
/// `false` in every row). Class 0 open and 1 closed. Not scaled.
///
/// # Errors
/// If a file is malformed.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    join(&Records::read(files, "train")?, &Records::read(files, "test")?)
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    Truths,
}

fn join(older: &Records, newer: &Records) -> Result<Loaded, LoadError> {
    let mut columns = Vec::new();
    for name in older.header.iter().filter(|name| *name != LABEL && newer.header.contains(name)) {
        let places = [older.column(name)?, newer.column(name)?];
        if let Some(kind) = kind([older, newer], places) {
            columns.push((name, places, kind));
        }
    }
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for (part, table) in [older, newer].into_iter().enumerate() {
        let target = table.column(LABEL)?;
        for row in &table.rows {
            for &(_, places, kind) in &columns {
                let column = places[part];
                values.push(match kind {
                    Kind::Numbers => table.number(row, column)?,
                    Kind::Truths => f64::from(truth(&row.fields[column]) == Some(true)),
                });
            }
            labels.push(match row.fields[target].trim() {
                "open" | "0" => 0,
                "close" | "1" => 1,
                other => {
                    let what = format!("`{other}` is none of open, close, 0, 1");
                    return Err(table.fault(row, target, what));
                }
            });
        }
    }
    let x = Array2::from_shape_vec((labels.len(), columns.len()), values)
        .map_err(|error| LoadError::whole(&older.file, error.to_string()))?;
    Ok(Loaded {
        x: Features::Dense(x),
        y: Target::Classes { labels, names: vec!["open".into(), "close".into()] },
        feature_names: columns.into_iter().map(|(name, ..)| name.clone()).collect(),
    })
}

/// What this column holds in both files; `None` for text. A number that is not finite counts as a number:
/// reading it is then an error, not a silent loss of the column.
fn kind(tables: [&Records; 2], places: [usize; 2]) -> Option<Kind> {
    let fields = || {
        let with = tables.into_iter().zip(places);
        with.flat_map(|(table, column)| table.rows.iter().map(move |row| &row.fields[column]))
    };
    if fields().all(|field| field.trim().parse::<f64>().is_ok()) {
        Some(Kind::Numbers)
    } else if fields().all(|field| truth(field).is_some()) {
        Some(Kind::Truths)
    } else {
        None
    }
}

fn truth(field: &str) -> Option<bool> {
    match field.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn join_of(older: &str, newer: &str) -> Result<Loaded, String> {
        let read = |file: &str, text: &str| Records::parse(Path::new(file), text.as_bytes());
        read("B.csv", older)
            .and_then(|older| join(&older, &read("C.csv", newer)?))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn common_columns_of_numbers_and_truths_are_kept() {
        let older = "id,F1,only,F2,F3,category\na-1,1,9,true,x,close\n";
        let newer = "F3,F2,F1,id,category\n7,false,-2.5,a-2,0\n8,true,3,a-3,1\n";
        let data = join_of(older, newer).unwrap();
        assert_eq!(data.feature_names, ["F1", "F2"]);
        let x = ndarray::array![[1.0, 1.0], [-2.5, 0.0], [3.0, 1.0]];
        assert_eq!(data.x, Features::Dense(x));
        let names = vec!["open".to_owned(), "close".to_owned()];
        assert_eq!(data.y, Target::Classes { labels: vec![1, 0, 1], names });
    }

    #[test]
    fn a_malformed_file_is_named_with_line_and_column() {
        let older = "F1,category\n1,open\n";
        for (newer, expected) in [
            (
                "F1,category\n1,maybe\n",
                "C.csv, line 2, column 2: `maybe` is none of open, close, 0, 1",
            ),
            ("F1,category\n1,0\ninf,1\n", "C.csv, line 3, column 1: `inf` is not finite"),
            ("F1\n1\n", "C.csv, line 1: no column `category`"),
            ("F1,F1,category\n1,1,0\n", "C.csv, line 1: more than one column `F1`"),
        ] {
            assert_eq!(join_of(older, newer).unwrap_err(), expected);
        }
    }
}
