//! The output of "ultrasample".

use kit::{
    row::{ReadRow, Row},
    table::{Columns, Rows, TableError},
};

/// A row after the autoencoder.
#[derive(Row, Clone, Debug)]
pub struct EncodedRow {
    /// scaler before the autoencoder
    pub scaler: String,
    /// before the autoencoder
    pub label_engineering: bool,
    /// 0 learned from, 1 compared on, 2 reported on
    pub part: u32,
    /// class
    pub label: u32,
    /// Its features.
    #[row(flatten)]
    pub codes: Codes,
}

/// The numbers of the middle layer: one column each, the same number in every row.
#[derive(Clone, Debug)]
pub struct Codes(pub Vec<f64>);

fn name(j: usize) -> String {
    format!("code{j}")
}

impl Row for Codes {
    fn add(rows: &[&Self], table: Columns) -> Columns {
        let width = rows.first().map_or(0, |row| row.0.len());
        (0..width).fold(table, |table, j| {
            let values: Vec<&f64> = rows.iter().map(|row| &row.0[j]).collect();
            table.cells::<f64>(&name(j), "number of the middle layer", &values)
        })
    }
}

impl ReadRow for Codes {
    fn read(table: Rows) -> Result<Vec<Self>, TableError> {
        let mut columns = Vec::new();
        while let Ok(column) = table.cells::<f64>(&name(columns.len())) {
            columns.push(column);
        }
        let row = |i: usize| Self(columns.iter().map(|column| column[i]).collect());
        Ok((0..table.len()).map(row).collect())
    }
}
