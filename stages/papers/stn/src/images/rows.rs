//! What every method writes, so that they compare: one row an epoch of each training, in the order in
//! which they were made, with what had been spent by then.

use arrow_array::RecordBatch;
use kit::table::{Rows, TableError};
use models::neural::self_tuning::EpochRecord;

use crate::trace::Run;

/// An epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Number of the training within the run, from 0.
    pub training: u32,
    /// Epoch of the training, from 1.
    pub epoch: u32,
    /// Multiplications of the run up to its end.
    pub cost: f64,
    /// Validation loss; none where the training diverged.
    pub valid_loss: Option<f64>,
    /// Validation error rate.
    pub valid_error: Option<f64>,
    /// Test loss where validation is the training's best so far.
    pub test_loss: Option<f64>,
    /// Test error rate, likewise.
    pub test_error: Option<f64>,
}

impl Row {
    /// Of an epoch that ended.
    #[must_use]
    pub fn new(training: usize, epoch: usize, cost: f64, record: &EpochRecord) -> Self {
        let valid_loss = Some(record.valid_loss);
        let EpochRecord { valid_error, test_loss, test_error, .. } = *record;
        let (training, epoch) = (training as u32, epoch as u32);
        Self { training, epoch, cost, valid_loss, valid_error, test_loss, test_error }
    }

    /// Of an epoch in which the training diverged.
    #[must_use]
    pub fn diverged(training: usize, epoch: usize, cost: f64) -> Self {
        let (training, epoch) = (training as u32, epoch as u32);
        let none = None;
        Self {
            training,
            epoch,
            cost,
            valid_loss: none,
            valid_error: none,
            test_loss: none,
            test_error: none,
        }
    }
}

/// One row an epoch.
///
/// # Errors
/// When columns have different numbers of rows; here all are made of the same ones.
pub fn table(run: &Run<'_>, rows: &[Row]) -> Result<RecordBatch, TableError> {
    let maybe = |part: fn(&Row) -> Option<f64>| rows.iter().map(part);
    run.columns(rows.len())
        .index("training", "number of the training, from 0", rows.iter().map(|r| r.training))
        .index("epoch", "epoch of the training, from 1", rows.iter().map(|r| r.epoch))
        .real("cost", "multiplications of the run so far", rows.iter().map(|r| r.cost))
        .maybe("valid_loss", "validation loss; none where it diverged", maybe(|r| r.valid_loss))
        .maybe("valid_error", "validation error rate", maybe(|r| r.valid_error))
        .maybe("test_loss", "test loss where validation is best so far", maybe(|r| r.test_loss))
        .maybe("test_error", "test error rate, likewise", maybe(|r| r.test_error))
        .batch()
}

/// The rows that [`table`] has written.
///
/// # Errors
/// When a column is missing.
pub fn read(table: &RecordBatch) -> Result<Vec<Row>, TableError> {
    let rows = Rows(table);
    let (training, epoch, cost) =
        (rows.index("training")?, rows.index("epoch")?, rows.real("cost")?);
    let [valid_loss, valid_error, test_loss, test_error] =
        ["valid_loss", "valid_error", "test_loss", "test_error"].map(|name| rows.real(name));
    let (valid_loss, valid_error) = (valid_loss?, valid_error?);
    let (test_loss, test_error) = (test_loss?, test_error?);
    let some = |value: f64| Some(value).filter(|v| !v.is_nan());
    let row = |i: usize| Row {
        training: training[i],
        epoch: epoch[i],
        cost: cost[i],
        valid_loss: some(valid_loss[i]),
        valid_error: some(valid_error[i]),
        test_loss: some(test_loss[i]),
        test_error: some(test_error[i]),
    };
    Ok((0..rows.len()).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lead_back() {
        let record = EpochRecord {
            batches: 9,
            moves: 0,
            train_loss: 1.0,
            valid_loss: 0.5,
            valid_error: Some(0.25),
            test_loss: None,
            test_error: Some(0.125),
            rate: 0.1,
        };
        let rows = [Row::new(2, 3, 1e12, &record), Row::diverged(2, 4, 2e12)];
        let table = table(&Run { method: "random", replicate: 1 }, &rows).unwrap();
        assert_eq!(read(&table).unwrap(), rows);
        assert_eq!((rows[0].valid_loss, rows[0].test_loss), (Some(0.5), None));
    }
}
