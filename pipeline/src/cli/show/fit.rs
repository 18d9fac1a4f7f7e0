//! Tables fitted to the width of a terminal: unchanged if they fit, with cells broken into lines if each column keeps
//! a legible width, and otherwise one line per value.

use std::fmt::Write;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::ArrowError;
use comfy_table::{ContentArrangement, LineStyle, Table, presets::ASCII_FULL_CONDENSED};

/// A column is not made narrower than this if its content is wider.
const LEGIBLE: usize = 12;
/// The width taken between cells: a line and two spaces.
const BETWEEN: usize = 3;

/// All of `batch` as text of at most `width` characters per line, where words allow it.
pub(super) fn fitted(batch: &RecordBatch, width: usize) -> Result<String, ArrowError> {
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let cells = cells(batch)?;
    let wide = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0).max(names[column].chars().count())
    };
    let widths: Vec<usize> = (0..names.len()).map(wide).collect();
    let lines = BETWEEN * names.len() + 1;
    let natural = widths.iter().sum::<usize>() + lines;
    let least = widths.iter().map(|wide| (*wide).min(LEGIBLE)).sum::<usize>() + lines;
    if natural > width && least > width {
        return Ok(one_by_one(&names, &cells));
    }
    let mut table = Table::new();
    // In the style in which Arrow draws tables.
    let style = ASCII_FULL_CONDENSED.header_separator(LineStyle::new('+', '-', '+', '+'));
    table.load_style(style).set_header(&names);
    if natural > width {
        let width = u16::try_from(width).unwrap_or(u16::MAX);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.add_rows(cells);
    Ok(format!("{table}\n"))
}

/// Each cell as Arrow writes it.
fn cells(batch: &RecordBatch) -> Result<Vec<Vec<String>>, ArrowError> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let row = |i: usize| columns.iter().map(|column| column.value(i).try_to_string()).collect();
    (0..batch.num_rows()).map(row).collect()
}

fn one_by_one(names: &[&str], cells: &[Vec<String>]) -> String {
    let label = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (i, row) in cells.iter().enumerate() {
        let _ = writeln!(text, "row {i}");
        for (name, cell) in names.iter().zip(row) {
            let _ = writeln!(text, "  {name:label$}  {cell}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::StringArray;

    use super::*;

    fn batch(columns: usize, words: &str) -> RecordBatch {
        let column = || Arc::new(StringArray::from(vec![words, "b"])) as _;
        let named = (0..columns).map(|i| (format!("c{i}"), column()));
        RecordBatch::try_from_iter(named).expect("columns of one length")
    }

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn what_fits_is_as_arrow_draws_it() {
        let batch = batch(2, "short");
        let drawn = arrow_cast::pretty::pretty_format_batches(std::slice::from_ref(&batch));
        assert_eq!(fitted(&batch, 80).unwrap(), format!("{}\n", drawn.unwrap()));
    }

    #[test]
    fn what_is_too_wide_has_cells_of_several_lines_and_then_one_line_per_value() {
        let words =
            "twenty words of a sentence that no terminal of a usual width has on one line alone";
        let table = fitted(&batch(3, words), 80).unwrap();
        assert!(table.starts_with("+-") && widest(&table) <= 80, "{table}");
        let list = fitted(&batch(9, words), 80).unwrap();
        assert!(list.starts_with("row 0\n  c0  twenty"), "{list}");
        assert_eq!(list.lines().count(), 2 * (1 + 9));
    }
}
