//! What the papers print of their figures: the files `configs/ID.figures/FIGURE.csv`, as the stage `ID/figures/printed`.
//! Nothing is read off a picture, except bars whose lengths were measured, which their words say; a figure of which there
//! is no number has no file.

use std::path::Path;

use kit::printed::{Point, Printed};
use pipeline::{
    config::Config,
    error::{Error, Result},
    graph::Builder,
};

/// The columns of a file.
const COLUMNS: [&str; 4] = ["series", "x", "y", "words"];

/// Adds the stage of the paper `id`, if there are files.
///
/// # Errors
/// If a file cannot be read, or does not hold what it should; the message has its line.
pub fn add(id: &str, config: &Config, builder: &mut Builder) -> Result<()> {
    let points = points(&config.file().with_extension("figures"))?;
    if !points.is_empty() {
        builder.add(format!("{id}/figures/printed"), &Printed { points })?;
    }
    Ok(())
}

/// The points of all files in `folder`, in the order of their names.
fn points(folder: &Path) -> Result<Vec<Point>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = folder.read_dir().map_err(|e| Error::io("read", folder, &e))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = paths.map_err(|e| Error::io("read", folder, &e))?;
    paths.sort();
    let mut all = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "csv")) {
        all.extend(file(path)?);
    }
    Ok(all)
}

fn file(path: &Path) -> Result<Vec<Point>> {
    let wrong = |line: u64, why: &str| Error::usage(format!("{}:{line}: {why}", path.display()));
    let figure = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(1, &e.to_string()))?;
    if reader.headers().map_err(|e| wrong(1, &e.to_string()))?.iter().ne(COLUMNS) {
        return Err(wrong(1, &format!("expected the columns {}", COLUMNS.join(", "))));
    }
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| wrong(1, &e.to_string()))?;
        let line = record.position().map_or(1, csv::Position::line);
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text
                .parse::<f64>()
                .ok()
                .filter(|v| v.is_finite())
                .map(Some)
                .ok_or_else(|| wrong(line, &format!("`{text}` is not a finite number"))),
        };
        let (x, y) = (number(&record[1])?, number(&record[2])?);
        if record[0].is_empty() || record[3].is_empty() || (x.is_none() && y.is_none()) {
            return Err(wrong(line, "expected a series, a number and the paper's words"));
        }
        let (series, words) = (record[0].to_owned(), record[3].to_owned());
        points.push(Point { figure: figure.clone(), series, x, y, words });
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn points_of_all_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("fig-2.csv"), "series,x,y,words\nb,1,,\"one, two\"\n")
            .unwrap();
        fs::write(folder.path().join("fig-1.csv"), "series,x,y,words\na,,-2.5,here\n").unwrap();
        fs::write(folder.path().join("notes.txt"), "not read").unwrap();
        let found = points(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|p| (p.figure.as_str(), p.x, p.y)).collect();
        assert_eq!(names, [("fig-1", None, Some(-2.5)), ("fig-2", Some(1.0), None)]);
        assert_eq!(found[1].words, "one, two");
        assert_eq!(points(&folder.path().join("nowhere")).unwrap(), []);
    }

    #[test]
    fn a_fault_is_told_with_its_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fig-1.csv");
        for (text, told) in [
            ("series,x,y\n", "fig-1.csv:1: expected the columns series, x, y, words"),
            ("series,x,y,words\na,1,2,here\na,one,2,here\n", "fig-1.csv:3: `one`"),
            ("series,x,y,words\na,NaN,2,here\n", "fig-1.csv:2: `NaN`"),
            ("series,x,y,words\na,,,here\n", "fig-1.csv:2: expected a series"),
            ("series,x,y,words\na,1,2,\n", "fig-1.csv:2: expected a series"),
        ] {
            fs::write(&path, text).unwrap();
            let error = points(folder.path()).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
