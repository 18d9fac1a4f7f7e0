//! Reads comma-separated files with a header by the names of their columns. Fields may be quoted.

use std::path::{Path, PathBuf};

use super::super::error::LoadError;
use super::super::files::Files;
use super::numbers::number;

/// A file in memory: every record has as many fields as the header.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// The file it was read from.
    pub file: PathBuf,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The records after the header.
    pub rows: Vec<Record>,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its fields, in the order of the header.
    pub fields: Vec<String>,
}

impl Records {
    /// Reads the file of this role.
    ///
    /// # Errors
    /// If it is missing or not UTF-8, or a record has another number of fields than the header.
    pub fn read(files: &Files, role: &str) -> Result<Self, LoadError> {
        let (file, bytes) = files.read(role)?;
        Self::parse(file, &bytes)
    }

    /// Reads `bytes`; `file` is for messages.
    ///
    /// # Errors
    /// If they are not UTF-8, or a record has another number of fields than the header.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, LoadError> {
        let mut reader = csv::Reader::from_reader(bytes);
        let mut lines = Lines { bytes, counted: 0, before: 0 };
        let header = reader.headers().map_err(|error| fault(file, &mut lines, &error))?;
        let header = header.iter().map(str::to_owned).collect();
        let read = |record: csv::Result<csv::StringRecord>| {
            let record = record.map_err(|error| fault(file, &mut lines, &error))?;
            let line = lines.of(record.position());
            Ok(Record { line, fields: record.iter().map(str::to_owned).collect() })
        };
        let rows = reader.records().map(read).collect::<Result<_, _>>()?;
        Ok(Self { file: file.to_path_buf(), header, rows })
    }

    /// The index of the column with this name.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn column(&self, name: &str) -> Result<usize, LoadError> {
        let mut found = (0..self.header.len()).filter(|&at| self.header[at] == name);
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(LoadError::line(&self.file, 1, format!("no column `{name}`"))),
            (Some(_), Some(_)) => {
                Err(LoadError::line(&self.file, 1, format!("more than one column `{name}`")))
            }
        }
    }

    /// The finite number in `column` of `record`.
    ///
    /// # Errors
    /// If the field is not a finite number.
    pub fn number(&self, record: &Record, column: usize) -> Result<f64, LoadError> {
        number(&self.file, record.line, column + 1, &record.fields[column])
    }

    /// A fault in `column` of `record`.
    #[must_use]
    pub fn fault(&self, record: &Record, column: usize, what: impl Into<String>) -> LoadError {
        LoadError::field(&self.file, record.line, column + 1, what)
    }
}

/// Counts lines. The reader's own count is off by one for two-character line ends.
struct Lines<'a> {
    bytes: &'a [u8],
    counted: usize,
    before: usize,
}

impl Lines<'_> {
    /// The line, from 1, of the record that was read from `position` on; positions must ascend.
    fn of(&mut self, position: Option<&csv::Position>) -> usize {
        let at = position.map_or(0, |position| position.byte() as usize).min(self.bytes.len());
        let ends = self.bytes[at..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let start = (at + ends.count()).max(self.counted);
        let new = &self.bytes[self.counted..start];
        self.before += new.iter().filter(|&&byte| byte == b'\n').count();
        self.counted = start;
        self.before + 1
    }
}

fn fault(file: &Path, lines: &mut Lines<'_>, error: &csv::Error) -> LoadError {
    let line = error.position().map(|at| lines.of(Some(at)));
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields, expected {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "not UTF-8 text".to_owned(),
        _ => error.to_string(),
    };
    LoadError { line, ..LoadError::whole(file, what) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Records, String> {
        Records::parse(Path::new("t.csv"), bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn quoted_fields_and_both_line_ends_are_read() {
        let table = read(b"a,b\r\n1,\"[2,\n3]\"\r\n4,5\n\n6,7\n").unwrap();
        assert_eq!(table.rows[0].fields, ["1", "[2,\n3]"]);
        assert_eq!(table.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [2, 4, 6]);
        assert_eq!(table.number(&table.rows[1], 1).unwrap(), 5.0);
    }

    #[test]
    fn faults_name_the_line() {
        assert_eq!(read(b"a,b\n1,2\n3\n").unwrap_err(), "t.csv, line 3: 1 fields, expected 2");
        assert_eq!(read(b"a,b\n1,\xff\n").unwrap_err(), "t.csv, line 2: not UTF-8 text");
        assert_eq!(read(b"a\xff,b\n1,2\n").unwrap_err(), "t.csv, line 1: not UTF-8 text");
        let table = read(b"a,b,a\n1,x,3\n").unwrap();
        let said = |name| table.column(name).unwrap_err().to_string();
        assert_eq!(said("c"), "t.csv, line 1: no column `c`");
        assert_eq!(said("a"), "t.csv, line 1: more than one column `a`");
        let error = table.number(&table.rows[0], 1).unwrap_err();
        assert_eq!(error.to_string(), "t.csv, line 2, column 2: `x` is not a number");
    }
}
