//! A table of one artifact: its columns, filters, joins, and display.

use std::collections::BTreeMap;

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type},
};

use pipeline::absence::Absence;

use crate::{
    absent::notice,
    error::{Error, Result},
    html::{Html, escape, number, provenance},
};

/// The values of a column. A missing number is NaN, a missing text empty, a missing flag false.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers of any width.
    Number(Vec<f64>),
    /// Text.
    Text(Vec<String>),
    /// Truth values.
    Flag(Vec<bool>),
}

/// A type as which a column can be read.
pub trait Cell: Sized {
    /// The type's name in messages.
    const NAME: &'static str;
    /// The values, if the column has this type.
    fn read(column: &Column) -> Option<&[Self]>;
}

macro_rules! cell {
    ($type:ty, $variant:ident, $name:literal) => {
        impl Cell for $type {
            const NAME: &'static str = $name;
            fn read(column: &Column) -> Option<&[Self]> {
                match column {
                    Column::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
    };
}
cell!(f64, Number, "number");
cell!(String, Text, "text");
cell!(bool, Flag, "flag");

impl Column {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => f64::NAME,
            Self::Text(_) => String::NAME,
            Self::Flag(_) => bool::NAME,
        }
    }

    fn show(&self, row: usize) -> String {
        match self {
            Self::Number(values) => number(values[row]),
            Self::Text(values) => values[row].clone(),
            Self::Flag(values) => (if values[row] { "yes" } else { "no" }).to_owned(),
        }
    }

    /// A text that is the same for equal values and different for others.
    fn exact(&self, row: usize) -> String {
        match self {
            Self::Number(values) => values[row].to_string(),
            _ => self.show(row),
        }
    }

    fn pick(&self, rows: &[usize]) -> Self {
        match self {
            Self::Number(values) => Self::Number(rows.iter().map(|&r| values[r]).collect()),
            Self::Text(values) => Self::Text(rows.iter().map(|&r| values[r].clone()).collect()),
            Self::Flag(values) => Self::Flag(rows.iter().map(|&r| values[r]).collect()),
        }
    }
}

/// A table with the name and key of the artifact that it was read from.
///
/// A table that has no rows, and was computed without stages that cannot be computed here, is *absent*: every
/// requested column exists and is empty, tables derived from it are absent too, and a notice takes the place
/// of figures drawn from it.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) stage: String,
    /// Empty if there is no artifact.
    pub(crate) key: String,
    columns: Vec<(String, Column)>,
    rows: usize,
    /// The stages without which it was computed, or because of which it has no artifact.
    pub(crate) lacks: Vec<Absence>,
}

/// The name of a table, from its stage and output.
fn called(stage: &str, output: &str) -> String {
    if output == "main" { stage.to_owned() } else { format!("{stage} ({output})") }
}

#[expect(clippy::cast_lossless, reason = "one macro for all widths")]
fn column(array: &dyn Array) -> Option<Column> {
    macro_rules! numbers {
        ($($type:ty),*) => {$(
            if let Some(array) = array.as_primitive_opt::<$type>() {
                let values = array.iter().map(|v| v.map_or(f64::NAN, |v| v as f64));
                return Some(Column::Number(values.collect()));
            }
        )*};
    }
    numbers!(Float64Type, Float32Type, UInt32Type, UInt64Type, Int32Type, Int64Type);
    if let Some(array) = array.as_string_opt::<i32>() {
        let values = array.iter().map(|v| v.unwrap_or_default().to_owned());
        return Some(Column::Text(values.collect()));
    }
    let array = array.as_boolean_opt()?;
    Some(Column::Flag(array.iter().map(|v| v.unwrap_or(false)).collect()))
}

impl Table {
    /// Reads `batch`, the table `output` of `stage`, whose artifact has `key`.
    ///
    /// # Errors
    /// If a column is neither number, text nor flag.
    pub fn from_batch(batch: &RecordBatch, stage: &str, output: &str, key: &str) -> Result<Self> {
        let stage = called(stage, output);
        let mut columns = Vec::with_capacity(batch.num_columns());
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let read = column(array).ok_or_else(|| Error::Type {
                stage: stage.clone(),
                column: field.name().clone(),
                found: array.data_type().to_string(),
            })?;
            columns.push((field.name().clone(), read));
        }
        let (key, rows, lacks) = (key.to_owned(), batch.num_rows(), Vec::new());
        Ok(Self { stage, key, columns, rows, lacks })
    }

    /// The table `output` of `stage`, which has no result because `lacks` are missing.
    pub(crate) fn missing(stage: &str, output: &str, lacks: Vec<Absence>) -> Self {
        let (stage, key) = (called(stage, output), String::new());
        Self { stage, key, columns: Vec::new(), rows: 0, lacks }
    }

    /// This table, computed without `lacks`.
    #[must_use]
    pub fn without(mut self, lacks: Vec<Absence>) -> Self {
        self.lacks = lacks;
        self
    }

    /// Whether it has no rows because of the stages without which it was computed.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.rows == 0 && !self.lacks.is_empty()
    }

    /// What is shown in place of `title`, for which this table has no numbers: a notice if it was computed
    /// without something.
    ///
    /// # Errors
    /// If nothing is missing: then the cell requests the wrong thing.
    pub(crate) fn nothing(&self, title: &str, why: impl FnOnce() -> String) -> Result<Html> {
        if self.lacks.is_empty() {
            return Err(Error::Empty { title: title.to_owned(), why: why() });
        }
        Ok(self.notice(title))
    }

    fn notice(&self, title: &str) -> Html {
        notice(title, self.key.is_empty(), &self.lacks)
    }

    /// The columns, in order.
    pub(crate) fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The values of `name`, one per row, as `f64`, `String` or `bool`.
    ///
    /// # Errors
    /// If there is no such column, or it has another type.
    pub fn column<T: Cell>(&self, name: &str) -> Result<&[T]> {
        if self.is_absent() {
            return Ok(&[]);
        }
        self.find(name).and_then(T::read).ok_or_else(|| self.lacking(name, T::NAME))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(n, _)| n == name).map(|(_, column)| column)
    }

    pub(crate) fn lacking(&self, name: &str, wanted: &'static str) -> Error {
        let present = self.columns.iter().map(|(n, c)| format!("{n} ({})", c.kind()));
        Error::Column {
            stage: self.stage.clone(),
            column: name.to_owned(),
            wanted,
            present: present.collect::<Vec<_>>().join(", "),
        }
    }

    /// The names of the number columns with at least two different numbers, which can be plotted.
    #[must_use]
    pub fn numbers(&self) -> Vec<String> {
        let held = |column: &Column| {
            let Column::Number(values) = column else { return false };
            let mut numbers = values.iter().filter(|value| value.is_finite());
            numbers.next().is_some_and(|first| numbers.any(|other| other != first))
        };
        self.columns.iter().filter(|(_, c)| held(c)).map(|(name, _)| name.clone()).collect()
    }

    /// The names of the text columns.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let text = |column: &Column| matches!(column, Column::Text(_));
        self.columns.iter().filter(|(_, c)| text(c)).map(|(name, _)| name.clone()).collect()
    }

    /// The different values of the text column `name`, in order of first appearance.
    ///
    /// # Errors
    /// If there is no such text column.
    pub fn values(&self, name: &str) -> Result<Vec<String>> {
        let mut seen: Vec<String> = Vec::new();
        for value in self.column::<String>(name)? {
            if !seen.contains(value) {
                seen.push(value.clone());
            }
        }
        Ok(seen)
    }

    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|(n, c)| (n.clone(), c.pick(rows))).collect();
        Self { columns, rows: rows.len(), ..self.bare() }
    }

    /// Its name and origin, without columns and rows.
    fn bare(&self) -> Self {
        let (stage, key, lacks) = (self.stage.clone(), self.key.clone(), self.lacks.clone());
        Self { stage, key, columns: Vec::new(), rows: 0, lacks }
    }

    /// A table of the same origin with these columns, all of `rows` values.
    pub(crate) fn of(&self, columns: Vec<(String, Column)>, rows: usize) -> Self {
        Self { columns, rows, ..self.bare() }
    }

    /// This table with an additional column, which replaces one with the same name.
    pub(crate) fn plus(&self, name: &str, column: Column) -> Self {
        let mut more = self.clone();
        more.columns.retain(|(n, _)| n != name);
        more.columns.push((name.to_owned(), column));
        more
    }

    /// This table with the column `old` renamed to `new`.
    pub(crate) fn rename(mut self, old: &str, new: &str) -> Self {
        for (name, _) in &mut self.columns {
            if name == old {
                new.clone_into(name);
            }
        }
        self
    }

    /// This table with only the columns `names`.
    pub(crate) fn keep(mut self, names: &[&str]) -> Self {
        self.columns.retain(|(n, _)| names.contains(&n.as_str()));
        self
    }

    /// The displayed values of `row` in the columns `names`.
    pub(crate) fn shown(&self, row: usize, names: &[&str]) -> Result<Vec<String>> {
        let show =
            |name: &&str| Ok(self.find(name).ok_or_else(|| self.lacking(name, "any"))?.show(row));
        names.iter().map(show).collect()
    }

    /// The columns `names` of this table, in this order.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn select(&self, names: &[&str]) -> Result<Self> {
        if self.is_absent() {
            return Ok(self.clone());
        }
        let pick = |name: &&str| {
            let column = self.find(name).ok_or_else(|| self.lacking(name, "any"))?;
            Ok(((*name).to_owned(), column.clone()))
        };
        let columns = names.iter().map(pick).collect::<Result<_>>()?;
        Ok(Self { columns, rows: self.rows, ..self.bare() })
    }

    /// The rows whose text column `name` is one of `values`.
    ///
    /// # Errors
    /// If there is no such text column.
    pub fn only(&self, name: &str, values: &[&str]) -> Result<Self> {
        let column = self.column::<String>(name)?;
        let rows: Vec<usize> =
            (0..self.rows).filter(|&r| values.contains(&column[r].as_str())).collect();
        Ok(self.pick(&rows))
    }

    /// The rows that have a partner in `other` with the same `on` columns, joined with its other columns. The
    /// stages missing in either table are missing in the result.
    ///
    /// # Errors
    /// If one of the tables lacks one of the `on` columns.
    pub fn join(&self, other: &Self, on: &[&str]) -> Result<Self> {
        let there: BTreeMap<_, usize> = (other.row_keys(on)?.into_iter().zip(0..)).collect();
        let (mine, theirs): (Vec<usize>, Vec<usize>) = (self.row_keys(on)?.iter().enumerate())
            .filter_map(|(row, key)| there.get(key).map(|&partner| (row, partner)))
            .unzip();
        let mut joined = self.pick(&mine);
        for lack in &other.lacks {
            if !joined.lacks.contains(lack) {
                joined.lacks.push(lack.clone());
            }
        }
        for (name, column) in &other.columns {
            if joined.columns.iter().all(|(n, _)| n != name) {
                joined.columns.push((name.clone(), column.pick(&theirs)));
            }
        }
        Ok(joined)
    }

    pub(crate) fn row_keys(&self, on: &[&str]) -> Result<Vec<Vec<String>>> {
        if self.is_absent() {
            return Ok(Vec::new());
        }
        let mut keys = vec![Vec::with_capacity(on.len()); self.rows];
        for name in on {
            let column = self.find(name).ok_or_else(|| self.lacking(name, "any"))?;
            for (row, key) in keys.iter_mut().enumerate() {
                key.push(column.exact(row));
            }
        }
        Ok(keys)
    }

    /// The first `rows` rows, to be shown.
    #[must_use]
    pub fn head(&self, rows: usize) -> Html {
        if self.is_absent() {
            return self.notice(&self.stage);
        }
        let shown = rows.min(self.rows);
        let mut out = String::from("<table><thead><tr>");
        for (name, _) in &self.columns {
            out += &format!("<th>{}</th>", escape(name));
        }
        out += "</tr></thead><tbody>";
        for row in 0..shown {
            out += "<tr>";
            for (_, column) in &self.columns {
                let class = if matches!(column, Column::Number(_)) { " class=\"n\"" } else { "" };
                out += &format!("<td{class}>{}</td>", escape(&column.show(row)));
            }
            out += "</tr>";
        }
        out += &format!("</tbody></table>{}", provenance(&self.stage, &self.key));
        if shown < self.rows {
            out += &format!("<br><small class=\"key\">{shown} of {} rows</small>", self.rows);
        }
        Html(out)
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
