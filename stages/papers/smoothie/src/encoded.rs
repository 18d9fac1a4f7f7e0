//! The output of "ultrasample" for the rows of one repeat, computed once for each scaler, with and without
//! label engineering, and shared by every optimiser.
//!
//! DIFFERS: the authors' code trains an autoencoder anew for every configuration; here one stands
//! for all configurations that treat the rows alike before it, with its own random numbers in each
//! repeat.

use std::collections::BTreeMap;

use models::{preprocess::scaler::Scaler, samples::Samples};
use ndarray::Array2;
use pipeline::stage::Stop;

use crate::tables::encoded::{Codes, EncodedRow};

/// How rows are treated before the autoencoder: scaler, label engineering.
pub type Before = (Scaler, bool);

/// The three parts after it; there is no validation part if configurations are compared on the test part.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The training rows, over-sampled.
    pub train: Samples,
    /// The validation rows.
    pub validation: Option<Samples>,
    /// The test rows.
    pub test: Samples,
}

/// The parts by treatment.
pub type Encoded = BTreeMap<Before, Parts>;

/// One row per treatment and row.
#[must_use]
pub fn rows(encoded: &Encoded) -> Vec<EncodedRow> {
    let mut rows = Vec::new();
    for (&(scaler, label_engineering), parts) in encoded {
        let validation = parts.validation.iter().map(|part| (1, part));
        for (number, part) in [(0, &parts.train), (2, &parts.test)].into_iter().chain(validation) {
            let features = part.x.rows().into_iter().map(|row| Codes(row.to_vec()));
            rows.extend(features.zip(&part.y).map(|(codes, &label)| EncodedRow {
                scaler: name(scaler),
                label_engineering,
                part: number,
                label,
                codes,
            }));
        }
    }
    rows
}

/// Features, row by row, and labels.
type Flat = (Vec<f64>, Vec<u32>);

fn name(scaler: Scaler) -> String {
    format!("{scaler:?}")
}

/// Reads the output of [`rows`]; `classes` is the number of classes.
///
/// # Errors
/// If a row has no scaler, or rows differ in length.
pub fn read(rows: Vec<EncodedRow>, classes: usize) -> Result<Encoded, Stop> {
    let width = rows.first().map_or(0, |row| row.codes.0.len());
    let mut all: BTreeMap<Before, [Flat; 3]> = BTreeMap::new();
    for row in rows {
        let known =
            models::preprocess::scaler::SCALERS.into_iter().find(|s| name(*s) == row.scaler);
        let Some(known) = known else {
            return Err(Stop::Failed(format!("`{}` is no scaler", row.scaler)));
        };
        let parts = all.entry((known, row.label_engineering)).or_default();
        let (x, y) = &mut parts[row.part.min(2) as usize];
        x.extend(row.codes.0);
        y.push(row.label);
    }
    let samples = |(x, y): Flat| -> Result<Samples, Stop> {
        let x =
            Array2::from_shape_vec((y.len(), width), x).map_err(|e| Stop::Failed(e.to_string()))?;
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

#[cfg(test)]
mod tests {
    use models::preprocess::scaler::SCALERS;
    use ndarray::array;

    use super::*;

    #[test]
    fn parts_are_read_again_as_they_were_written() {
        let part = |x: Array2<f64>, y: Vec<u32>| Samples { x, y, classes: 2 };
        let train = part(array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], vec![1, 0, 1]);
        let test = part(array![[7.0, 8.0]], vec![0]);
        let validation = Some(part(array![[9.0, 10.0]], vec![1]));
        let with = Parts { train: train.clone(), validation, test: test.clone() };
        let without = Parts { train: test, validation: None, test: train };
        let encoded = Encoded::from([((SCALERS[0], true), with), ((SCALERS[1], false), without)]);
        assert_eq!(read(rows(&encoded), 2).unwrap(), encoded);
    }

    #[test]
    fn an_unknown_scaler_is_refused() {
        let one = Samples { x: array![[1.0]], y: vec![0], classes: 2 };
        let parts = Parts { train: one.clone(), validation: None, test: one };
        let mut rows = rows(&Encoded::from([((SCALERS[0], false), parts)]));
        "Magic".clone_into(&mut rows[0].scaler);
        assert!(matches!(read(rows, 2), Err(Stop::Failed(why)) if why.contains("Magic")));
    }
}
