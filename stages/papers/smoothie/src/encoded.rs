//! What "ultrasample" makes of the rows of one repeat: computed once for each scaler, with and without label
//! engineering, and shared by every optimiser.
//!
//! DIFFERS: the authors' code trains an autoencoder anew for every configuration; here one stands
//! for all configurations that treat the rows alike before it, with its own random numbers in each
//! repeat.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use kit::table::{Columns, Rows, TableError};
use models::{preprocess::scaler::Scaler, samples::Samples};
use ndarray::Array2;
use pipeline::stage::{Context, Stop};

/// How rows are treated before the autoencoder: scaler, label engineering.
pub type Before = (Scaler, bool);

/// The three parts after it; no validation part where the test part is selected on.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// To learn from, over-sampled.
    pub train: Samples,
    /// To compare configurations on.
    pub validation: Option<Samples>,
    /// To report on.
    pub test: Samples,
}

/// By treatment.
pub type Encoded = BTreeMap<Before, Parts>;

/// One row a treatment and row.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn table(encoded: &Encoded) -> Result<RecordBatch, TableError> {
    let mut rows: Vec<(usize, u32, u32, Vec<f64>)> = Vec::new();
    for (at, parts) in encoded.values().enumerate() {
        let validation = parts.validation.iter().map(|part| (1, part));
        for (number, part) in [(0, &parts.train), (2, &parts.test)].into_iter().chain(validation) {
            let features = part.x.rows().into_iter().map(|row| row.to_vec());
            rows.extend(features.zip(&part.y).map(|(x, &y)| (at, number, y, x)));
        }
    }
    let width = rows.first().map_or(0, |row| row.3.len());
    let keys: Vec<Before> = encoded.keys().copied().collect();
    let mut columns = Columns::new()
        .text("scaler", "scaler before the autoencoder", rows.iter().map(|r| name(keys[r.0].0)))
        .flag("label_engineering", "before the autoencoder", rows.iter().map(|r| keys[r.0].1))
        .index("part", "0 learned from, 1 compared on, 2 reported on", rows.iter().map(|r| r.1))
        .index("label", "class", rows.iter().map(|r| r.2));
    for j in 0..width {
        let what = "number of the middle layer";
        columns = columns.real(&format!("code{j}"), what, rows.iter().map(|r| r.3[j]));
    }
    columns.batch()
}

/// Features, row by row, and labels.
type Flat = (Vec<f64>, Vec<u32>);

fn name(scaler: Scaler) -> String {
    format!("{scaler:?}")
}

/// Reads what [`table`] wrote; `classes` is the number of classes.
///
/// # Errors
/// When the table is corrupt.
pub fn read(cx: &Context, role: &str, classes: usize) -> Result<Encoded, Stop> {
    let table = cx.input(role)?;
    let rows = Rows(&table);
    let (scaler, engineered) = (rows.text("scaler")?, rows.flag("label_engineering")?);
    let (part, label) = (rows.index("part")?, rows.index("label")?);
    let mut codes = Vec::new();
    while let Ok(code) = rows.real(&format!("code{}", codes.len())) {
        codes.push(code);
    }
    let mut all: BTreeMap<Before, [Flat; 3]> = BTreeMap::new();
    for i in 0..rows.len() {
        let known = models::preprocess::scaler::SCALERS.into_iter().find(|s| name(*s) == scaler[i]);
        let Some(known) = known else {
            return Err(Stop::Failed(format!("`{}` is no scaler", scaler[i])));
        };
        let parts = all.entry((known, engineered[i])).or_default();
        let (x, y) = &mut parts[part[i].min(2) as usize];
        x.extend(codes.iter().map(|code| code[i]));
        y.push(label[i]);
    }
    let samples = |(x, y): Flat| -> Result<Samples, Stop> {
        let x = Array2::from_shape_vec((y.len(), codes.len()), x)
            .map_err(|e| Stop::Failed(e.to_string()))?;
        Samples::new(x, y, classes).map_err(|e| Stop::Failed(e.to_string()))
    };
    all.into_iter()
        .map(|(key, [train, validation, test])| {
            let validation =
                if validation.1.is_empty() { None } else { Some(samples(validation)?) };
            Ok((key, Parts { train: samples(train)?, validation, test: samples(test)? }))
        })
        .collect()
}
