//! Reads Bugzilla's activity logs, one issue per row: counts of what happened to it, and after how many days
//! it was resolved. Columns are found by name, wherever they are in the file.
//!
//! The file has columns `s1` to `s9`, of which `s7` and `s9` hold lists of numbers such as `[3, 0, 1]`, the
//! target `y` in days, and others that are not read.
//!
//! DIFFERS: for Firefox the code of \[Yedida2024\] takes a third number from `s9`, which makes 13 features;
//! the paper says 12 for all three projects. [`load`] gives 12, [`load_with`] can give 13.

use ndarray::Array2;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::records::{Record, Records};

/// The one file of each project.
pub const ROLE: &str = "activity log";
const PLAIN: [&str; 7] = ["s1", "s2", "s3", "s4", "s5", "s6", "s8"];
const TARGET: &str = "y";

/// Rows × 12: `s1` to `s6`, `s8`, the first three numbers of `s7`, the first two of `s9`. Target:
/// days to the resolution. Not scaled, not binned.
///
/// # Errors
/// If the file is malformed.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    load_with(files, 2)
}

/// As [`load`], with the first `of_s9` numbers of `s9`: 10 + `of_s9` features.
///
/// # Errors
/// If the file is malformed or a list is too short.
pub fn load_with(files: &Files, of_s9: usize) -> Result<Loaded, LoadError> {
    read(&Records::read(files, ROLE)?, of_s9)
}

fn read(table: &Records, of_s9: usize) -> Result<Loaded, LoadError> {
    let plain =
        PLAIN.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, LoadError>>()?;
    let lists = [(table.column("s7")?, 3), (table.column("s9")?, of_s9)];
    let target = table.column(TARGET)?;
    let (mut values, mut days) = (Vec::new(), Vec::new());
    for row in &table.rows {
        for &column in &plain {
            values.push(table.number(row, column)?);
        }
        for (column, wanted) in lists {
            list(table, row, column, wanted, &mut values)?;
        }
        let resolved = table.number(row, target)?;
        if resolved < 0.0 {
            return Err(table.fault(row, target, format!("{resolved} days")));
        }
        days.push(resolved);
    }
    let mut feature_names: Vec<String> = PLAIN.map(str::to_owned).to_vec();
    for (name, wanted) in [("s7", 3), ("s9", of_s9)] {
        feature_names.extend((0..wanted).map(|at| format!("{name}[{at}]")));
    }
    let x = Array2::from_shape_vec((days.len(), feature_names.len()), values)
        .map_err(|error| LoadError::whole(&table.file, error.to_string()))?;
    Ok(Loaded { x: Features::Dense(x), y: Target::Real(days), feature_names })
}

/// Appends the first `wanted` numbers of the list in `column`.
fn list(
    table: &Records,
    row: &Record,
    column: usize,
    wanted: usize,
    values: &mut Vec<f64>,
) -> Result<(), LoadError> {
    let field = row.fields[column].trim();
    let fault = |what: &str| table.fault(row, column, format!("`{field}` {what}"));
    let inside = field
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .or_else(|| field.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')))
        .ok_or_else(|| fault("is not a list"))?;
    let before = values.len();
    for number in inside.split(',').take(wanted) {
        match number.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => values.push(value),
            _ => return Err(fault("is not a list of finite numbers")),
        }
    }
    if values.len() - before < wanted {
        return Err(fault(&format!("has fewer than {wanted} numbers")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read_of(text: &str, of_s9: usize) -> Result<Loaded, String> {
        Records::parse(Path::new("eclipse.csv"), text.as_bytes())
            .and_then(|table| read(&table, of_s9))
            .map_err(|error| error.to_string())
    }

    const HEADER: &str = ",bugID,s1,s2,s3,s4,s5,s6,s7,s8,s9,text,y\n";

    #[test]
    fn lists_are_taken_apart_and_other_columns_passed_by() {
        let text = format!(
            "{HEADER}0,9,1,2,3,4,5,6,\"[7, 8, 9, 10]\",11,\"[12, 13, 14]\",\"a, b\nc\",30\n"
        );
        let data = read_of(&text, 2).unwrap();
        let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 11.0, 7.0, 8.0, 9.0, 12.0, 13.0];
        let Features::Dense(x) = &data.x else { panic!("expected a dense matrix") };
        assert_eq!(x.row(0).to_vec(), expected);
        assert_eq!(data.y, Target::Real(vec![30.0]));
        assert_eq!(data.feature_names[7..], ["s7[0]", "s7[1]", "s7[2]", "s9[0]", "s9[1]"]);
        assert_eq!(data.fault(), None);
        assert_eq!(read_of(&text, 3).unwrap().x.shape(), (1, 13));
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "y,s9,s8,s7,s6,s5,s4,s3,s2,s1\n2,\"[0, 1]\",8,\"(7, 0, 1)\",6,5,4,3,2,1\n";
        let data = read_of(text, 2).unwrap();
        let Features::Dense(x) = &data.x else { panic!("expected a dense matrix") };
        assert_eq!(x.row(0).to_vec()[..8], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 7.0]);
    }

    #[test]
    fn a_malformed_file_is_named_with_line_and_column() {
        let row =
            |s7: &str, y: &str| format!("{HEADER}0,9,1,2,3,4,5,6,\"{s7}\",8,\"[1, 2]\",t,{y}\n");
        for (text, expected) in [
            (
                row("[1, 2]", "3"),
                "eclipse.csv, line 2, column 9: `[1, 2]` has fewer than 3 numbers",
            ),
            (row("1", "3"), "eclipse.csv, line 2, column 9: `1` is not a list"),
            (
                row("[1, nan, 2]", "3"),
                "eclipse.csv, line 2, column 9: `[1, nan, 2]` is not a list of finite numbers",
            ),
            (row("[1, 2, 3]", "-1"), "eclipse.csv, line 2, column 13: -1 days"),
            (row("[1, 2, 3]", ""), "eclipse.csv, line 2, column 13: `` is not a number"),
            ("s1,s2\n1,2\n".to_owned(), "eclipse.csv, line 1: no column `s3`"),
        ] {
            assert_eq!(read_of(&text, 2).unwrap_err(), expected);
        }
    }
}
