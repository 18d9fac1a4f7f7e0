//! Reads issue close time in Jira and GitHub, one issue per row: an additional data set, not the data of the
//! papers on issue lifetime.
//!
//! The seven files of a project have the same issues with the same features. They differ in `timeOpen`: in
//! each file it marks the issues that were closed within the time in the file's name but not within that of
//! the file before, so at most one file marks an issue. Here they become one target of eight classes, in the
//! order of time; the last class has the issues that no file marks, closed after a year or never.

use ndarray::Array2;

use super::super::error::LoadError;
use super::super::files::Files;
use super::super::loaded::{Features, Loaded, Target};
use super::records::Records;

/// Roles of the files, the shortest close time first.
pub const TIMES: [&str; 7] =
    ["1 day", "7 days", "14 days", "30 days", "90 days", "180 days", "365 days"];
/// Name of the class of issues that no file marks.
pub const LATER: &str = "later or open";
const TARGET: &str = "timeOpen";

/// Rows × 17 and eight classes of close time. Not scaled.
///
/// # Errors
/// If a file is malformed, or its issues are not those of the first one, or two files mark one
/// issue.
pub fn load(files: &Files) -> Result<Loaded, LoadError> {
    let tables = TIMES
        .iter()
        .map(|time| Records::read(files, time))
        .collect::<Result<Vec<_>, LoadError>>()?;
    combine(&tables)
}

fn combine(tables: &[Records]) -> Result<Loaded, LoadError> {
    let Some(first) = tables.first() else {
        return Err(LoadError::whole(std::path::Path::new(TARGET), "no file"));
    };
    let target = first.column(TARGET)?;
    let later = tables.len() as u32;
    let mut labels = vec![later; first.rows.len()];
    for (class, table) in tables.iter().enumerate() {
        if table.header != first.header || table.rows.len() != first.rows.len() {
            let what =
                format!("other columns or another number of rows than {}", first.file.display());
            return Err(LoadError::whole(&table.file, what));
        }
        for ((row, same), label) in table.rows.iter().zip(&first.rows).zip(&mut labels) {
            let others = (0..table.header.len()).filter(|&column| column != target);
            if let Some(column) = others.into_iter().find(|&c| row.fields[c] != same.fields[c]) {
                let what = format!("not the issue of this row in {}", first.file.display());
                return Err(table.fault(row, column, what));
            }
            match row.fields[target].trim() {
                "False" => {}
                "True" if *label == later => *label = class as u32,
                "True" => return Err(table.fault(row, target, "marked in an earlier file too")),
                other => {
                    let what = format!("`{other}` is neither True nor False");
                    return Err(table.fault(row, target, what));
                }
            }
        }
    }
    let columns: Vec<usize> = (0..first.header.len()).filter(|&column| column != target).collect();
    let mut values = Vec::new();
    for row in &first.rows {
        for &column in &columns {
            values.push(first.number(row, column)?);
        }
    }
    let x = Array2::from_shape_vec((labels.len(), columns.len()), values)
        .map_err(|error| LoadError::whole(&first.file, error.to_string()))?;
    let names = TIMES.iter().take(tables.len()).chain([&LATER]).map(|&name| name.into()).collect();
    Ok(Loaded {
        x: Features::Dense(x),
        y: Target::Classes { labels, names },
        feature_names: columns.into_iter().map(|column| first.header[column].clone()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn combine_of(texts: [&str; 2]) -> Result<Loaded, String> {
        let named = ["1.csv", "7.csv"].into_iter().zip(texts);
        let tables = named.map(|(file, text)| Records::parse(Path::new(file), text.as_bytes()));
        tables
            .collect::<Result<Vec<_>, _>>()
            .and_then(|tables| combine(&tables))
            .map_err(|error| error.to_string())
    }

    const FIRST: &str = "a,b,timeOpen\n1,2,True\n3,4,False\n5,6,False\n";

    #[test]
    fn marks_become_classes_in_the_order_of_time() {
        let data = combine_of([FIRST, "a,b,timeOpen\n1,2,False\n3,4,False\n5,6,True\n"]).unwrap();
        let names = ["1 day", "7 days", LATER].map(str::to_owned).to_vec();
        assert_eq!(data.y, Target::Classes { labels: vec![0, 2, 1], names });
        assert_eq!(data.x, Features::Dense(ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]));
        assert_eq!((data.fault(), data.feature_names), (None, vec!["a".into(), "b".into()]));
    }

    #[test]
    fn files_that_do_not_fit_together_are_refused() {
        for (second, expected) in [
            (
                "a,b,timeOpen\n1,2,True\n3,4,True\n5,6,True\n",
                "7.csv, line 2, column 3: marked in an earlier file too",
            ),
            (
                "a,b,timeOpen\n1,2,False\n3,9,True\n5,6,True\n",
                "7.csv, line 3, column 2: not the issue of this row in 1.csv",
            ),
            (
                "a,b,timeOpen\n1,2,maybe\n3,4,True\n5,6,True\n",
                "7.csv, line 2, column 3: `maybe` is neither True nor False",
            ),
            ("a,b,timeOpen\n", "7.csv: other columns or another number of rows than 1.csv"),
        ] {
            assert_eq!(combine_of([FIRST, second]).unwrap_err(), expected);
        }
        let x = "a,b,timeOpen\n1,x,True\n";
        let error = combine_of([x, "a,b,timeOpen\n1,x,False\n"]).unwrap_err();
        assert_eq!(error, "1.csv, line 2, column 2: `x` is not a number");
    }
}
