//! A pivot table: a row for each task, a column for each treatment, and in each cell one line per layer, such
//! as ours under two protocols and the published number.

use figures::style;

use crate::{
    error::Result,
    html::{Html, escape, number, provenance},
    missing::Missing,
    table::Table,
};

struct Layer<'a> {
    name: String,
    table: &'a Table,
    values: Vec<String>,
    bold: Option<String>,
}

/// A pivot under construction.
pub struct Pivot<'a> {
    row: String,
    column: String,
    layers: Vec<Layer<'a>>,
    scale: f64,
}

impl<'a> Pivot<'a> {
    /// Rows and columns by these text columns, which every layer has.
    #[must_use]
    pub fn new(row: &str, column: &str) -> Self {
        Self { row: row.to_owned(), column: column.to_owned(), layers: Vec::new(), scale: 1.0 }
    }

    /// Shows every number times `factor`: 100 makes percentages of shares.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.scale = factor;
        self
    }

    /// A line in each cell: the numbers in the columns `values` of `table`, in bold where the flag
    /// `bold` is set.
    #[must_use]
    pub fn layer(
        mut self,
        name: &str,
        table: &'a Table,
        values: &[&str],
        bold: Option<&str>,
    ) -> Self {
        let values = values.iter().map(|&v| v.to_owned()).collect();
        self.layers.push(Layer {
            name: name.to_owned(),
            table,
            values,
            bold: bold.map(str::to_owned),
        });
        self
    }

    /// The finished table, with the rows and columns of all layers.
    ///
    /// # Errors
    /// If a layer lacks a column.
    pub fn show(&self) -> Result<Html> {
        let mut missing = Missing::default();
        for layer in &self.layers {
            missing.add(&layer.name, layer.table);
        }
        let empty = self.layers.iter().all(|layer| layer.table.rows() == 0);
        if let Some(notice) = missing.instead().filter(|_| empty) {
            return Ok(notice);
        }
        let (mut rows, mut columns): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for layer in &self.layers {
            for (own, all) in [(&self.row, &mut rows), (&self.column, &mut columns)] {
                for name in layer.table.values(own)? {
                    if !all.contains(&name) {
                        all.push(name);
                    }
                }
            }
        }
        columns.sort_by_key(|name| (style::rank(name), name.clone()));
        let mut out =
            format!("<table class=\"pivot\"><thead><tr><th>{}</th><td></td>", escape(&self.row));
        for column in &columns {
            out += &format!("<th>{}</th>", escape(&style::label(column)));
        }
        out += "</tr></thead><tbody>";
        for row in &rows {
            for (i, layer) in self.layers.iter().enumerate() {
                let edge = if i == 0 { " class=\"edge\"" } else { "" };
                out += &format!("<tr{edge}>");
                if i == 0 {
                    let span = self.layers.len();
                    out += &format!("<td rowspan=\"{span}\">{}</td>", escape(row));
                }
                out += &format!("<td><small>{}</small></td>", escape(&layer.name));
                for column in &columns {
                    out += &format!("<td class=\"n\">{}</td>", self.cell(layer, row, column)?);
                }
                out += "</tr>";
            }
        }
        out += "</tbody></table>";
        let mut named = Vec::new();
        for Layer { table, .. } in &self.layers {
            // Layers from the same table name it once.
            if !table.is_absent() && !named.contains(&&table.key) {
                named.push(&table.key);
                out += &provenance(&table.stage, &table.key);
            }
        }
        Ok(missing.below().iter().fold(Html(out), Html::then))
    }

    fn cell(&self, layer: &Layer<'_>, row: &str, column: &str) -> Result<String> {
        let rows = layer.table.column::<String>(&self.row)?;
        let columns = layer.table.column::<String>(&self.column)?;
        let Some(at) = (0..rows.len()).find(|&r| rows[r] == row && columns[r] == column) else {
            return Ok(String::new());
        };
        let mut parts = Vec::new();
        for value in &layer.values {
            let value = layer.table.column::<f64>(value)?[at];
            // Several numbers side by side only leave room for whole percentages.
            let digits = if layer.values.len() > 1 { 2 } else { 3 };
            parts.push(short(self.scale * value, digits));
        }
        let text = parts.join(" / ");
        let bold = match &layer.bold {
            Some(flag) => layer.table.column::<bool>(flag)?[at],
            None => false,
        };
        Ok(if bold { format!("<b>{text}</b>") } else { text })
    }
}

/// `value` with this many digits, and more only before the decimal point: the differences that matter are
/// larger.
fn short(value: f64, digits: i32) -> String {
    let power = value.abs().max(1e-300).log10().floor().clamp(-2.0, f64::from(digits - 1));
    let unit = 10_f64.powi(digits - 1 - power as i32);
    number((value * unit).round() / unit)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};

    use super::*;

    #[test]
    fn each_layer_is_a_line_and_ties_with_the_best_are_bold() {
        let batch = RecordBatch::try_from_iter([
            ("task", Arc::new(StringArray::from(vec!["ant", "ant", "bee"])) as ArrayRef),
            ("who", Arc::new(StringArray::from(vec!["svm", "random", "svm"]))),
            ("f1", Arc::new(Float64Array::from(vec![0.51239, 0.25, f64::NAN]))),
            ("first", Arc::new(BooleanArray::from(vec![true, false, false]))),
        ]);
        let table = Table::from_batch(&batch.unwrap(), "toy", "main", "k").unwrap();
        let pivot = Pivot::new("task", "who").times(100.0);
        let pivot = pivot.layer("a", &table, &["f1"], Some("first")).layer(
            "b",
            &table,
            &["f1", "f1"],
            None,
        );
        let html = pivot.show().unwrap().0;
        assert_eq!(html.matches("artifact toy").count(), 1, "{html}");
        for cell in ["<b>51.2</b>", ">51 / 51<", ">25<", ">–<", "rowspan=\"2\">bee"] {
            assert!(html.contains(cell), "{cell} in {html}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.66666, 66.666, 1234.5, 0.0, 0.001_234].map(|v| short(v, 3)),
            ["0.667", "66.7", "1235", "0", "0.0012"]
        );
    }
}
