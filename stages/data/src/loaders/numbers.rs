//! Reads tables of numbers in text files, with a fixed number of fields per line and a fixed separator.

use std::path::Path;

use ndarray::Array2;

use super::super::error::LoadError;

/// The separator between the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One comma.
    Comma,
    /// Any run of white space.
    Blank,
}

impl Separator {
    /// The fields of one line.
    fn fields(self, line: &str) -> Vec<&str> {
        match self {
            Self::Comma => line.split(',').collect(),
            Self::Blank => line.split_whitespace().collect(),
        }
    }
}

/// Text of a file as UTF-8.
///
/// # Errors
/// If it is not UTF-8.
pub fn text<'a>(file: &Path, bytes: &'a [u8]) -> Result<&'a str, LoadError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        LoadError::line(file, before + 1, "not UTF-8 text")
    })
}

/// Reads the lines after the first `skip` as a table with `columns` fields per line. Empty lines at the end
/// are allowed.
///
/// # Errors
/// If a line has another number of fields, or a field is not a number or not finite.
pub fn table(
    file: &Path,
    text: &str,
    skip: usize,
    separator: Separator,
    columns: usize,
) -> Result<Array2<f64>, LoadError> {
    let mut values = Vec::new();
    let mut rows = 0;
    for (index, line) in text.trim_end().lines().enumerate().skip(skip) {
        let fields = separator.fields(line);
        if fields.len() != columns {
            let what = format!("{} fields, expected {columns}", fields.len());
            return Err(LoadError::line(file, index + 1, what));
        }
        for (column, field) in fields.into_iter().enumerate() {
            values.push(number(file, index + 1, column + 1, field)?);
        }
        rows += 1;
    }
    Array2::from_shape_vec((rows, columns), values)
        .map_err(|error| LoadError::whole(file, error.to_string()))
}

/// Reads one finite number; `line` and `column` count from 1.
///
/// # Errors
/// If `field` is not a number or not finite.
pub fn number(file: &Path, line: usize, column: usize, field: &str) -> Result<f64, LoadError> {
    let field = field.trim();
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(LoadError::field(file, line, column, format!("`{field}` is not finite"))),
        Err(_) => Err(LoadError::field(file, line, column, format!("`{field}` is not a number"))),
    }
}

/// Reads class labels kept as numbers: integers from 0 below `classes`. The error's line is the
/// row plus `first_line`.
///
/// # Errors
/// If a value is not such an integer.
pub fn labels<'a>(
    file: &Path,
    first_line: usize,
    column: usize,
    values: impl IntoIterator<Item = &'a f64>,
    classes: usize,
) -> Result<Vec<u32>, LoadError> {
    let read = |(row, &value): (usize, &f64)| {
        (0..classes as u32).find(|&label| f64::from(label) == value).ok_or_else(|| {
            let what = format!("`{value}` is not a class from 0 to {}", classes.saturating_sub(1));
            LoadError::field(file, first_line + row, column, what)
        })
    };
    values.into_iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Array2<f64>, String> {
        table(Path::new("t.csv"), text, 1, Separator::Comma, 2).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_with_exponents_are_read() {
        let x = read("a,b\n1,3.38e-005\n-2, 4\n").unwrap();
        assert_eq!(x, ndarray::array![[1.0, 3.38e-5], [-2.0, 4.0]]);
    }

    #[test]
    fn faults_name_file_line_and_column() {
        assert_eq!(
            read("a,b\n1,2\n3,nan\n").unwrap_err(),
            "t.csv, line 3, column 2: `nan` is not finite"
        );
        assert_eq!(read("a,b\n1,x\n").unwrap_err(), "t.csv, line 2, column 2: `x` is not a number");
        assert_eq!(
            read("a,b\n1,1e999\n").unwrap_err(),
            "t.csv, line 2, column 2: `1e999` is not finite"
        );
        assert_eq!(read("a,b\n1,2,3\n").unwrap_err(), "t.csv, line 2: 3 fields, expected 2");
        assert_eq!(read("a,b\n\n1,2\n").unwrap_err(), "t.csv, line 2: 1 fields, expected 2");
    }

    #[test]
    fn labels_are_small_whole_numbers() {
        let file = Path::new("t.csv");
        assert_eq!(labels(file, 2, 3, &[0.0, 2.0], 3).unwrap(), [0, 2]);
        let error = labels(file, 2, 3, &[0.0, 1.5], 3).unwrap_err().to_string();
        assert_eq!(error, "t.csv, line 3, column 3: `1.5` is not a class from 0 to 2");
    }
}
