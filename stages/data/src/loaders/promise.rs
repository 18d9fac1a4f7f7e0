//! Reads PROMISE defect data: object-oriented metrics of the classes of a program, and how many defects each
//! turned out to have. The versions of a project are listed in [`super::super::defects`].

use ndarray::Array2;

use super::super::defects;
use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::records::Records;

/// The 20 metrics, in the order of the files.
pub const METRICS: [&str; 20] = [
    "wmc", "dit", "noc", "cbo", "rfc", "lcom", "ca", "ce", "npm", "lcom3", "loc", "dam", "moa",
    "mfa", "cam", "ic", "cbm", "amc", "max_cc", "avg_cc",
];
/// Number of defects.
const DEFECTS: &str = "bug";

/// The versions of a project one after another, oldest first: rows × 20, class 0 clean and 1 defective (one
/// defect or more). Not scaled.
///
/// # Errors
/// If a file is malformed or has another number of rows than its version.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    let project = defects::project(files.id).ok_or_else(|| {
        let what = "not a project of defect data".to_owned();
        LoadError::whole(std::path::Path::new(files.id), what)
    })?;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for version in project.versions {
        let table = Records::read(files, version.name)?;
        if table.rows.len() != version.rows {
            let what = format!("{} rows, expected {}", table.rows.len(), version.rows);
            return Err(LoadError::whole(&table.file, what));
        }
        read(&table, &mut values, &mut labels)?;
    }
    let x = Array2::from_shape_vec((labels.len(), METRICS.len()), values)
        .map_err(|error| LoadError::whole(std::path::Path::new(files.id), error.to_string()))?;
    Ok(Loaded {
        x: Features::Dense(x),
        y: Target::Classes { labels, names: vec!["clean".into(), "defective".into()] },
        feature_names: METRICS.map(str::to_owned).to_vec(),
    })
}

/// Appends the metrics and labels of one version.
fn read(table: &Records, values: &mut Vec<f64>, labels: &mut Vec<u32>) -> Result<(), LoadError> {
    let columns =
        METRICS.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, LoadError>>()?;
    let target = table.column(DEFECTS)?;
    for row in &table.rows {
        for &column in &columns {
            values.push(table.number(row, column)?);
        }
        let defects = table.number(row, target)?;
        if defects < 0.0 {
            return Err(table.fault(row, target, format!("{defects} defects")));
        }
        labels.push(u32::from(defects > 0.0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn version(rows: &str) -> Result<(Vec<f64>, Vec<u32>), String> {
        let content = format!("name,version,name,{},bug\n{rows}", METRICS.join(","));
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        Records::parse(Path::new("a-1.0.csv"), content.as_bytes())
            .and_then(|table| read(&table, &mut values, &mut labels))
            .map_err(|error| error.to_string())?;
        Ok((values, labels))
    }

    fn row(first: &str, defects: &str) -> String {
        format!("a,1,x.Y,{first},{}{defects}\n", "0.5,".repeat(19))
    }

    #[test]
    fn one_defect_makes_a_class_defective() {
        let rows = row("7", "0") + &row("8", "1") + &row("9", "3");
        let (values, labels) = version(&rows).unwrap();
        assert_eq!((values[0], values[20], values[21]), (7.0, 8.0, 0.5));
        assert_eq!(labels, [0, 1, 1]);
    }

    #[test]
    fn a_malformed_version_names_file_line_and_column() {
        for (rows, expected) in [
            (row("x", "0"), "a-1.0.csv, line 2, column 4: `x` is not a number"),
            (row("1", "0") + &row("1", "-2"), "a-1.0.csv, line 3, column 24: -2 defects"),
            (row("1", "NaN"), "a-1.0.csv, line 2, column 24: `NaN` is not finite"),
            ("a,1\n".to_owned(), "a-1.0.csv, line 2: 2 fields, expected 24"),
        ] {
            assert_eq!(version(&rows).unwrap_err(), expected);
        }
        let other = Records::parse(Path::new("b.csv"), b"wmc,bug\n1,0\n").unwrap();
        let error = read(&other, &mut Vec::new(), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "b.csv, line 1: no column `dit`");
    }
}
